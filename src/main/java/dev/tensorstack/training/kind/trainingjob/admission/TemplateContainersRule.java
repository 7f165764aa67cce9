package dev.tensorstack.training.kind.trainingjob.admission;

import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.core.pod.TorchrunCommand;
import dev.tensorstack.training.core.policy.TrainingContainer;
import dev.tensorstack.training.kind.Rule;
import dev.tensorstack.training.kind.RuleContext;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import dev.tensorstack.training.kind.trainingjob.v1beta1.ReplicaSpec;
import io.fabric8.kubernetes.api.model.Container;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Each template has a container, and torchrun has something to run in it.
 *
 * <p>Refuses: a template without a container; with torchrun, a training container with neither args
 * nor a Python script in its command.
 */
final class TemplateContainersRule implements Rule<PyTorchTrainingJobSpec> {

  @Override
  public String id() {
    return "template-containers";
  }

  @Override
  public List<Violation> check(RuleContext<PyTorchTrainingJobSpec> subject) {
    PyTorchTrainingJobSpec spec = subject.spec();
    boolean torchrun = spec.torchrunOn() && !spec.debugOn();
    List<ReplicaSpec> types =
        Objects.requireNonNullElse(spec.replicaSpecs(), List.<ReplicaSpec>of());
    List<Violation> violations = new ArrayList<>();
    for (int i = 0; i < types.size(); i++) {
      ReplicaSpec type = types.get(i);
      String path = "spec.replicaSpecs[" + i + "].template.spec.containers";
      if (type.template() == null
          || type.template().getSpec() == null
          || type.template().getSpec().getContainers() == null
          || type.template().getSpec().getContainers().isEmpty()) {
        violations.add(
            new Violation(
                id(),
                path,
                Violation.Reason.FieldValueRequired,
                "give at least one container; the one named python, else the first, trains"));
        continue;
      }
      Container training = TrainingContainer.of(type.template());
      if (torchrun && TorchrunCommand.script(training.getCommand(), training.getArgs()).isEmpty()) {
        int at = TrainingContainer.indexIn(type.template().getSpec().getContainers());
        violations.add(
            new Violation(
                id(),
                path + "[" + at + "].args",
                Violation.Reason.FieldValueRequired,
                "torchrun needs to know what to run: write the script and its arguments in args,"
                    + " e.g. [train.py, --epochs=3], or switch torchrunConfig off"));
      }
    }
    return violations;
  }
}
