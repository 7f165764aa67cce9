package dev.tensorstack.training.simulation;

import dev.tensorstack.training.observation.Ledger;

/** A job is deleted at the end of its time to live, and not before. */
final class JobDeletion {

  private JobDeletion() {}

  static void check(Step step) {
    Integer ttl = step.view().job().spec().runPolicy().ttlSecondsAfterFinished();
    Ledger ledger = step.plan().ledger();
    Invariants.require(
        ttl != null
            && ledger.completionTime() != null
            && !step.view().now().isBefore(ledger.completionTime().plusSeconds(ttl)),
        "a job is deleted at the end of its time to live",
        ledger);
  }
}
