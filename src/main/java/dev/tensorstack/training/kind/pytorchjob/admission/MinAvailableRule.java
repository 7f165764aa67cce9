package dev.tensorstack.training.kind.pytorchjob.admission;

import static dev.tensorstack.training.core.model.Violation.Reason.FieldValueInvalid;

import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.kind.FieldCheck;
import dev.tensorstack.training.kind.Rule;
import dev.tensorstack.training.kind.RuleContext;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJobSpec;
import dev.tensorstack.training.kind.pytorchjob.v1.RunPolicy;
import java.util.List;

/**
 * The pods of a gang are not fewer than none. 0, with which Volcano waits for no pod, is left to
 * it.
 *
 * <p>Refuses: a runPolicy.schedulingPolicy.minAvailable below 0.
 */
final class MinAvailableRule implements Rule<PyTorchJobSpec> {

  @Override
  public String id() {
    return "min-available";
  }

  @Override
  public List<Violation> check(RuleContext<PyTorchJobSpec> subject) {
    FieldCheck check = new FieldCheck(id());
    RunPolicy policy = subject.spec().runPolicy();
    Integer pods =
        policy == null || policy.schedulingPolicy() == null
            ? null
            : policy.schedulingPolicy().minAvailable();
    if (pods != null && pods < 0) {
      check.add(
          "spec.runPolicy.schedulingPolicy.minAvailable",
          FieldValueInvalid,
          "must not be negative; leave it out for all pods");
    }
    return check.violations();
  }
}
