package dev.tensorstack.training.simulation;

import dev.tensorstack.training.observation.Ledger;
import dev.tensorstack.training.plan.Plan;
import dev.tensorstack.training.plan.PlannedAction;

/** Terminal stays terminal, and is stored before anything is done because of it. */
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

  static void checkSent(PlannedAction action, JobVersion stored, View view, Plan plan) {
    boolean ended = stored.exists() && stored.ledger().outcome() != null;
    if (plan.stage() == Plan.Stage.ENDED) {
      Invariants.require(
          ended || !stored.exists(), "the end is stored before its clean-up", action);
    }
    if (action instanceof PlannedAction.CreatePod
        || action instanceof PlannedAction.CreateService) {
      Invariants.require(
          view.job().ledger().outcome() == null && plan.ledger().outcome() == null,
          "nothing is created after the end",
          action);
      Invariants.require(
          plan.ledger().pause() != Ledger.Pause.PAUSED
              && plan.ledger().pause() != Ledger.Pause.PAUSING,
          "nothing is created in a pause",
          action);
    }
    if (action instanceof PlannedAction.DeleteJob) {
      Integer ttl = view.job().spec().runPolicy().ttlSecondsAfterFinished();
      Invariants.require(
          ttl != null
              && plan.ledger().completionTime() != null
              && !view.now().isBefore(plan.ledger().completionTime().plusSeconds(ttl)),
          "a job is deleted at the end of its time to live",
          plan.ledger());
    }
  }
}
