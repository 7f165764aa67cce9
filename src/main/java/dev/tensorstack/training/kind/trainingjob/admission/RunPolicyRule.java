package dev.tensorstack.training.kind.trainingjob.admission;

import static dev.tensorstack.training.core.model.Violation.Reason.FieldValueInvalid;

import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.core.policy.BackoffWindow;
import dev.tensorstack.training.kind.FieldCheck;
import dev.tensorstack.training.kind.Rule;
import dev.tensorstack.training.kind.RuleContext;
import dev.tensorstack.training.kind.trainingjob.v1beta1.CleanUpPolicy;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import dev.tensorstack.training.kind.trainingjob.v1beta1.RestartScope;
import dev.tensorstack.training.kind.trainingjob.v1beta1.RunPolicy;
import java.util.List;

/**
 * Times, limits, words and exit codes of the run policy are possible ones.
 *
 * <p>Refuses: a deadline below 1 second, a negative backoffLimit or TTL, a window for it below 1
 * second or with a limit above 100, an unknown word, an exit code outside 1 to 255.
 */
final class RunPolicyRule implements Rule<PyTorchTrainingJobSpec> {

  private static final String POLICY = "spec.runPolicy.";

  @Override
  public String id() {
    return "run-policy";
  }

  @Override
  public List<Violation> check(RuleContext<PyTorchTrainingJobSpec> subject) {
    RunPolicy policy = subject.spec().runPolicy();
    FieldCheck check = new FieldCheck(id());
    if (policy == null) {
      return check.violations();
    }
    check.positiveSeconds(
        POLICY + "activeDeadlineSeconds", policy.activeDeadlineSeconds(), "no deadline");
    check.notNegative(POLICY + "backoffLimit", policy.backoffLimit());
    check.positiveSeconds(
        POLICY + "backoffWindowSeconds",
        policy.backoffWindowSeconds(),
        "a limit of the job's whole life");
    if (policy.backoffWindowSeconds() != null
        && policy.backoffLimit() != null
        && policy.backoffLimit() > BackoffWindow.REMEMBERED) {
      check.add(
          POLICY + "backoffLimit",
          FieldValueInvalid,
          "with backoffWindowSeconds at most "
              + BackoffWindow.REMEMBERED
              + " restarts are counted: write a smaller number");
    }
    check.notNegative(POLICY + "ttlSecondsAfterFinished", policy.ttlSecondsAfterFinished());
    check.word(POLICY + "cleanUpPolicy", policy.cleanUpPolicy(), CleanUpPolicy.values());
    check.word(POLICY + "restartScope", policy.restartScope(), RestartScope.values());
    if (policy.retryableExitCodes() != null) {
      for (int i = 0; i < policy.retryableExitCodes().size(); i++) {
        Integer code = policy.retryableExitCodes().get(i);
        if (code == null || code < 1 || code > 255) {
          check.add(
              POLICY + "retryableExitCodes[" + i + "]",
              FieldValueInvalid,
              code + " is no exit code of a failure: use 1 to 255");
        }
      }
    }
    return check.violations();
  }
}
