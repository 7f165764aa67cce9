package dev.tensorstack.training.simulation;

import dev.tensorstack.training.observation.Ledger;

/** No restart is counted beyond {@code backoffLimit}, and none below it is refused. */
final class Budget {

  private Budget() {}

  static void check(Step step) {
    int limit = step.view().job().spec().runPolicy().backoffLimit();
    Ledger before = step.view().job().ledger();
    Ledger after = step.plan().ledger();
    int spent = after.counts().backoff();
    // A limit that was lowered meanwhile does not take back what was spent.
    Invariants.require(
        spent == before.counts().backoff() || spent <= limit, "the budget is not passed", after);
    boolean exceeded =
        before.outcome() == null
            && after.outcome() != null
            && "BackoffLimitExceeded".equals(after.outcome().reason());
    Invariants.require(!exceeded || spent >= limit, "the budget is not cut short", after);
  }
}
