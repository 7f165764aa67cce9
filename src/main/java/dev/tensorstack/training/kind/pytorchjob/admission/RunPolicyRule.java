package dev.tensorstack.training.kind.pytorchjob.admission;

import static dev.tensorstack.training.core.model.Violation.Reason.FieldValueNotSupported;

import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.kind.FieldCheck;
import dev.tensorstack.training.kind.Rule;
import dev.tensorstack.training.kind.RuleContext;
import dev.tensorstack.training.kind.pytorchjob.v1.CleanPodPolicy;
import dev.tensorstack.training.kind.pytorchjob.v1.ManagedBy;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJobSpec;
import dev.tensorstack.training.kind.pytorchjob.v1.RunPolicy;
import java.util.List;

/**
 * Times, limits and words of the run policy are possible ones.
 *
 * <p>Refuses: a deadline below 1 second, a negative backoffLimit or TTL, an unknown cleanPodPolicy
 * or managedBy.
 */
final class RunPolicyRule implements Rule<PyTorchJobSpec> {

  private static final String POLICY = "spec.runPolicy.";

  @Override
  public String id() {
    return "run-policy";
  }

  @Override
  public List<Violation> check(RuleContext<PyTorchJobSpec> subject) {
    RunPolicy policy = subject.spec().runPolicy();
    FieldCheck check = new FieldCheck(id());
    if (policy == null) {
      return check.violations();
    }
    if (!"".equals(policy.cleanPodPolicy())) {
      check.word(POLICY + "cleanPodPolicy", policy.cleanPodPolicy(), CleanPodPolicy.values());
    }
    check.notNegative(POLICY + "ttlSecondsAfterFinished", policy.ttlSecondsAfterFinished());
    check.positiveSeconds(
        POLICY + "activeDeadlineSeconds", policy.activeDeadlineSeconds(), "no deadline");
    check.notNegative(POLICY + "backoffLimit", policy.backoffLimit());
    if (policy.managedBy() != null && !ManagedBy.ALL.contains(policy.managedBy())) {
      check.add(
          POLICY + "managedBy",
          FieldValueNotSupported,
          "\""
              + policy.managedBy()
              + "\" is unknown: use one of "
              + ManagedBy.ALL
              + ", or leave it out");
    }
    return check.violations();
  }
}
