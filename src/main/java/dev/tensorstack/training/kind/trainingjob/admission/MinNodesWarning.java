package dev.tensorstack.training.kind.trainingjob.admission;

import java.util.List;

/** {@code torchrunConfig.minNodes} of old manifests has no effect. */
final class MinNodesWarning implements Warning {

  @Override
  public String id() {
    return "min-nodes";
  }

  @Override
  public String says() {
    return "torchrunConfig.minNodes, which is ignored";
  }

  @Override
  public List<String> check(WarningContext job) {
    if (job.given().torchrunConfig() == null || job.given().torchrunConfig().minNodes() == null) {
      return List.of();
    }
    return List.of(
        "spec.torchrunConfig.minNodes: ignored: take it out; the smallest size of an elastic job is"
            + " elastic.minReplicas");
  }
}
