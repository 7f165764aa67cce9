package dev.tensorstack.training.kind.pytorchjob.admission;

import dev.tensorstack.training.kind.Warning;
import dev.tensorstack.training.kind.WarningContext;
import dev.tensorstack.training.kind.pytorchjob.v1.ElasticPolicy;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJobSpec;
import java.util.List;

/**
 * The number of processes has moved out of the elastic policy.
 *
 * <p>Warns of: an elasticPolicy.nProcPerNode, which is deprecated.
 */
final class DeprecatedNprocPerNodeWarning implements Warning<PyTorchJobSpec> {

  @Override
  public String id() {
    return "deprecated-nproc-per-node";
  }

  @Override
  public List<String> check(WarningContext<PyTorchJobSpec> job) {
    ElasticPolicy elastic = job.given().elasticPolicy();
    return elastic == null || elastic.nProcPerNode() == null
        ? List.of()
        : List.of(
            "spec.elasticPolicy.nProcPerNode: is deprecated: write spec.nprocPerNode: \""
                + elastic.nProcPerNode()
                + "\"");
  }
}
