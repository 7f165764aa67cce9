package dev.tensorstack.training.crd;

import static dev.tensorstack.training.crd.Example.job;

import dev.tensorstack.training.core.policy.BackoffWindow;
import java.util.List;

/** {@code run-policy} in the CRD. */
final class RunPolicyCel {

  private static final String ID = "run-policy";
  private static final String POLICY = "spec.runPolicy.";

  static final RuleInCrd IN_CRD =
      new RuleInCrd(
          ID,
          List.of(
              CelRule.of(ID, POLICY + "activeDeadlineSeconds")
                  .refuses("self <= 0")
                  .example(job("runPolicy: {activeDeadlineSeconds: 0}")),
              CelRule.of(ID, POLICY + "backoffLimit")
                  .refuses("self < 0")
                  .example(job("runPolicy: {backoffLimit: -1}")),
              CelRule.of(ID, POLICY + "backoffWindowSeconds")
                  .refuses("self <= 0")
                  .example(job("runPolicy: {backoffWindowSeconds: 0}")),
              CelRule.of(ID, "spec.runPolicy")
                  .field("backoffLimit")
                  .refusesNew(
                      "has(self.backoffWindowSeconds) && has(self.backoffLimit)"
                          + " && self.backoffLimit > "
                          + BackoffWindow.REMEMBERED)
                  .example(job("runPolicy: {backoffLimit: 101, backoffWindowSeconds: 60}")),
              CelRule.of(ID, POLICY + "ttlSecondsAfterFinished")
                  .refuses("self < 0")
                  .example(job("runPolicy: {ttlSecondsAfterFinished: -1}")),
              CelRule.of(ID, POLICY + "retryableExitCodes[]")
                  .refuses("self < 1 || self > 255")
                  .example(job("runPolicy: {retryableExitCodes: [256]}"))
                  .value("256", "self")),
          "the API server itself, in its own words, refuses an unknown word");

  private RunPolicyCel() {}
}
