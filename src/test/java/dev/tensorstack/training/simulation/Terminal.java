package dev.tensorstack.training.simulation;

import dev.tensorstack.training.observation.Ledger;

/** Terminal stays terminal. */
final class Terminal {

  private Terminal() {}

  static void check(JobVersion before, JobVersion after) {
    Ledger old = before.ledger();
    Ledger next = after.ledger();
    Invariants.require(
        (next.outcome() == null) == (next.completionTime() == null),
        "a job has a completion time when it has ended",
        next);
    if (old.outcome() == null) {
      return;
    }
    Invariants.require(
        old.outcome().equals(next.outcome())
            && old.completionTime().equals(next.completionTime())
            && before.status().phase().equals(after.status().phase()),
        "terminal stays terminal",
        old,
        "became",
        next);
    Invariants.require(
        old.counts().equals(next.counts()), "an ended job counts nothing", old, "became", next);
  }
}
