package dev.tensorstack.training.kind.pytorchjob.spec;

import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJobSpec;
import dev.tensorstack.training.kind.pytorchjob.v1.ReplicaSpec;
import dev.tensorstack.training.kind.pytorchjob.v1.ReplicaType;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/** A job as it would be with another number of workers. */
public final class ScaledSpec {

  private ScaledSpec() {}

  /**
   * Scales a spec.
   *
   * @param spec any spec
   * @param workers the number of workers
   * @return the same spec with {@code pytorchReplicaSpecs.Worker.replicas: workers}; of a job
   *     without workers one with workers of which nothing else is said
   */
  public static PyTorchJobSpec of(PyTorchJobSpec spec, int workers) {
    Map<String, ReplicaSpec> types =
        new LinkedHashMap<>(Objects.requireNonNullElse(spec.pytorchReplicaSpecs(), Map.of()));
    ReplicaSpec old = types.get(ReplicaType.Worker.name());
    types.put(
        ReplicaType.Worker.name(),
        old == null
            ? new ReplicaSpec(workers, null, null)
            : new ReplicaSpec(workers, old.restartPolicy(), old.template()));
    return new PyTorchJobSpec(types, spec.nprocPerNode(), spec.elasticPolicy(), spec.runPolicy());
  }
}
