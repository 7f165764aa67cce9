package dev.tensorstack.training.kind.trainingjob.spec;

import dev.tensorstack.training.kind.trainingjob.v1beta1.Elastic;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;

/** An elastic job as it would be with another number of nodes. */
public final class ScaledSpec {

  private ScaledSpec() {}

  /**
   * Scales a spec.
   *
   * @param spec any spec
   * @param nodes the number of nodes
   * @return the same spec with {@code elastic.expectedReplicas: nodes}
   */
  public static PyTorchTrainingJobSpec of(PyTorchTrainingJobSpec spec, int nodes) {
    Elastic old = spec.elastic();
    Elastic scaled =
        old == null
            ? new Elastic(null, null, null, null, nodes, null)
            : new Elastic(
                old.enabled(),
                old.enable(),
                old.minReplicas(),
                old.maxReplicas(),
                nodes,
                old.metrics());
    return new PyTorchTrainingJobSpec(
        spec.replicaSpecs(),
        spec.torchrunConfig(),
        scaled,
        spec.runMode(),
        spec.runPolicy(),
        spec.scheduler(),
        spec.tensorboardSpec(),
        spec.managedBy());
  }
}
