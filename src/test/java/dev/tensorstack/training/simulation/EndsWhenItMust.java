package dev.tensorstack.training.simulation;

import dev.tensorstack.training.observation.Ledger;

/** The job ends exactly when it must, and with the right reason. */
final class EndsWhenItMust {

  private EndsWhenItMust() {}

  static void check(Step step) {
    Ledger.Outcome before = step.view().job().ledger().outcome();
    Ledger.Outcome after = step.plan().ledger().outcome();
    String wanted = before != null ? before.reason() : step.wanted().end();
    String got = after == null ? null : after.reason();
    Invariants.require(
        wanted == null ? got == null : wanted.equals(got),
        "the job ends when it must",
        "wanted",
        step.wanted(),
        "got",
        step.plan().ledger());
  }
}
