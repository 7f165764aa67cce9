package dev.tensorstack.training.kind.trainingjob.admission;

import static dev.tensorstack.training.core.model.Violation.Reason.FieldValueInvalid;
import static dev.tensorstack.training.core.model.Violation.Reason.FieldValueNotSupported;

import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.kind.Rule;
import dev.tensorstack.training.kind.RuleContext;
import dev.tensorstack.training.kind.trainingjob.v1beta1.CleanUpPolicy;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import dev.tensorstack.training.kind.trainingjob.v1beta1.RestartScope;
import dev.tensorstack.training.kind.trainingjob.v1beta1.RunPolicy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Times, limits, words and exit codes of the run policy are possible ones.
 *
 * <p>Refuses: a deadline below 1 second, a negative backoffLimit or TTL, an unknown word, an exit
 * code outside 1 to 255.
 */
final class RunPolicyRule implements Rule<PyTorchTrainingJobSpec> {

  @Override
  public String id() {
    return "run-policy";
  }

  @Override
  public List<Violation> check(RuleContext<PyTorchTrainingJobSpec> subject) {
    RunPolicy policy = subject.spec().runPolicy();
    List<Violation> violations = new ArrayList<>();
    if (policy == null) {
      return violations;
    }
    if (policy.activeDeadlineSeconds() != null && policy.activeDeadlineSeconds() <= 0) {
      add(
          violations,
          "activeDeadlineSeconds",
          FieldValueInvalid,
          "must be at least 1 second; leave it out for no deadline");
    }
    notNegative(violations, "backoffLimit", policy.backoffLimit());
    notNegative(violations, "ttlSecondsAfterFinished", policy.ttlSecondsAfterFinished());
    word(violations, "cleanUpPolicy", policy.cleanUpPolicy(), CleanUpPolicy.values());
    word(violations, "restartScope", policy.restartScope(), RestartScope.values());
    if (policy.retryableExitCodes() != null) {
      for (int i = 0; i < policy.retryableExitCodes().size(); i++) {
        Integer code = policy.retryableExitCodes().get(i);
        if (code == null || code < 1 || code > 255) {
          add(
              violations,
              "retryableExitCodes[" + i + "]",
              FieldValueInvalid,
              code + " is no exit code of a failure: use 1 to 255");
        }
      }
    }
    return violations;
  }

  private void notNegative(List<Violation> violations, String field, @Nullable Integer value) {
    if (value != null && value < 0) {
      add(violations, field, FieldValueInvalid, "must not be negative: write 0 or more");
    }
  }

  private void word(
      List<Violation> violations, String field, @Nullable String word, Enum<?>[] known) {
    if (word != null && !EnumNames.in(known, word)) {
      add(
          violations,
          field,
          FieldValueNotSupported,
          "\"" + word + "\" is unknown: use one of " + Arrays.toString(known));
    }
  }

  private void add(
      List<Violation> violations, String field, Violation.Reason reason, String message) {
    violations.add(new Violation(id(), "spec.runPolicy." + field, reason, message));
  }
}
