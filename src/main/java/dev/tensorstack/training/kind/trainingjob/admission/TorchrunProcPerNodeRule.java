package dev.tensorstack.training.kind.trainingjob.admission;

import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.core.policy.ProcessesPerNode;
import dev.tensorstack.training.kind.ProcessCount;
import dev.tensorstack.training.kind.Rule;
import dev.tensorstack.training.kind.RuleContext;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import java.util.List;

/**
 * {@code procPerNode} is a number of processes or a word for one.
 *
 * <p>Refuses: a procPerNode that is neither a positive number nor auto, cpu or gpu.
 */
final class TorchrunProcPerNodeRule implements Rule<PyTorchTrainingJobSpec> {

  @Override
  public String id() {
    return "torchrun-proc-per-node";
  }

  @Override
  public List<Violation> check(RuleContext<PyTorchTrainingJobSpec> subject) {
    var torchrun = subject.spec().torchrunConfig();
    if (torchrun == null || torchrun.procPerNode() == null) {
      return List.of();
    }
    String value = ProcessesPerNode.text(torchrun.procPerNode());
    if (ProcessCount.isKnown(value)) {
      return List.of();
    }
    return List.of(
        new Violation(
            id(),
            "spec.torchrunConfig.procPerNode",
            Violation.Reason.FieldValueInvalid,
            ProcessCount.unknown(value)));
  }
}
