package dev.tensorstack.training.kind.trainingjob.admission;

import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.core.policy.ProcessesPerNode;
import dev.tensorstack.training.kind.Rule;
import dev.tensorstack.training.kind.RuleContext;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import java.util.List;
import java.util.Set;

/**
 * {@code procPerNode} is a number of processes or a word for one.
 *
 * <p>Refuses: a procPerNode that is neither a positive number nor auto, cpu or gpu.
 */
final class TorchrunProcPerNodeRule implements Rule<PyTorchTrainingJobSpec> {

  private static final Set<String> WORDS = Set.of("auto", "cpu", ProcessesPerNode.GPU);

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
    if (WORDS.contains(value) || value.matches("0*[1-9][0-9]{0,5}")) {
      return List.of();
    }
    return List.of(
        new Violation(
            id(),
            "spec.torchrunConfig.procPerNode",
            Violation.Reason.FieldValueInvalid,
            "\"" + value + "\" is none of: a positive number, auto, cpu, gpu"));
  }
}
