package dev.tensorstack.training.kind.trainingjob.admission;

import dev.tensorstack.training.kind.Warning;
import dev.tensorstack.training.kind.WarningContext;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import java.util.List;
import java.util.Objects;

/**
 * With {@code --max_restarts=0}, all agents of an elastic job end when one node leaves.
 *
 * <p>Warns of: an elastic job whose torchrun agents may not restart their processes.
 */
final class NoTorchrunRestartsWarning implements Warning<PyTorchTrainingJobSpec> {

  @Override
  public String id() {
    return "no-torchrun-restarts";
  }

  @Override
  public List<String> check(WarningContext<PyTorchTrainingJobSpec> job) {
    PyTorchTrainingJobSpec spec = job.subject().spec();
    if (!spec.elasticOn()
        || spec.torchrunConfig() == null
        || !Objects.equals(spec.torchrunConfig().maxRestarts(), 0)) {
      return List.of();
    }
    return List.of(
        "spec.torchrunConfig.maxRestarts: 0 lets all nodes of an elastic job end when one leaves:"
            + " write 10, or leave it out");
  }
}
