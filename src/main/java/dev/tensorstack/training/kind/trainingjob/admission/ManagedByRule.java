package dev.tensorstack.training.kind.trainingjob.admission;

import static dev.tensorstack.training.core.model.Violation.Reason.FieldValueInvalid;

import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.kind.FieldCheck;
import dev.tensorstack.training.kind.Rule;
import dev.tensorstack.training.kind.RuleContext;
import dev.tensorstack.training.kind.trainingjob.v1beta1.ManagedBy;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import java.util.List;

/**
 * Who works on a job is named as in Kubernetes' own Job, so that a slip of the pen does not leave a
 * job to nobody.
 *
 * <p>Refuses: a managedBy that is no domain with a path, or longer than 63 characters.
 */
final class ManagedByRule implements Rule<PyTorchTrainingJobSpec> {

  private static final String FIELD = "spec.managedBy";

  @Override
  public String id() {
    return "managed-by";
  }

  @Override
  public List<Violation> check(RuleContext<PyTorchTrainingJobSpec> subject) {
    FieldCheck check = new FieldCheck(id());
    String value = subject.spec().managedBy();
    if (value == null) {
      return check.violations();
    }
    int length = ManagedBy.length(value);
    if (length > ManagedBy.LONGEST) {
      check.add(
          FIELD,
          FieldValueInvalid,
          "has "
              + length
              + " characters, "
              + (length - ManagedBy.LONGEST)
              + " more than the 63 that are allowed: name somebody with a shorter name, or leave it"
              + " out for this operator");
    } else if (!ManagedBy.isName(value)) {
      check.add(
          FIELD,
          FieldValueInvalid,
          "\""
              + value
              + "\" is no domain with a path: write one such as kueue.x-k8s.io/multikueue, or leave"
              + " it out for this operator");
    }
    return check.violations();
  }
}
