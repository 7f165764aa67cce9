package dev.tensorstack.training.kind.trainingjob.admission;

import dev.tensorstack.training.kind.Warning;
import dev.tensorstack.training.kind.WarningContext;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import java.util.List;

/**
 * {@code torchrunConfig.minNodes} of old manifests has no effect.
 *
 * <p>Warns of: torchrunConfig.minNodes, which is ignored.
 */
final class MinNodesWarning implements Warning<PyTorchTrainingJobSpec> {

  @Override
  public String id() {
    return "min-nodes";
  }

  @Override
  public List<String> check(WarningContext<PyTorchTrainingJobSpec> job) {
    if (job.given().torchrunConfig() == null || job.given().torchrunConfig().minNodes() == null) {
      return List.of();
    }
    return List.of(
        "spec.torchrunConfig.minNodes: ignored: take it out; the smallest size of an elastic job is"
            + " elastic.minReplicas");
  }
}
