package dev.tensorstack.training.core.plan;

import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.model.RunModeKind;
import dev.tensorstack.training.core.observe.Observation;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Pausing: once begun, it is carried through until no pod runs, whatever the user wishes meanwhile:
 * pods that have been told to stop cannot be told to stay (docs/concepts.md, Debug and pause).
 */
final class PausedJob {

  private final CurrentReplicas current;
  private final Observation seen;
  private final PlanSettings settings;
  private final Instant now;

  PausedJob(CurrentReplicas current, PlanSettings settings, Instant now) {
    this.current = current;
    this.seen = current.seen();
    this.settings = settings;
    this.now = now;
  }

  /** The user wants a pause. */
  Plan begin(Ledger ledger) {
    return stop(ledger.withPause(Ledger.Pause.PAUSING));
  }

  /** Stops what runs; paused when nothing does any more. */
  Plan stop(Ledger ledger) {
    StoppingPods pods = StoppingPods.of(seen, settings, now);
    if (pods.unfinished()) {
      return new Plan(
          Plan.Stage.PAUSED, ledger, current.with(ledger), pods.deletions(), pods.requeueAt());
    }
    // Whoever wished to go on meanwhile did so before this status; no event will come after it.
    Ledger next = ledger.withPause(Ledger.Pause.PAUSED);
    return new Plan(
        Plan.Stage.PAUSED,
        next,
        current.with(next),
        pods.deletions(),
        seen.job().spec().pause() ? null : now);
  }

  /** Nothing runs, and nothing shall: a pod that turns up late goes. */
  Plan stay(Ledger ledger) {
    StoppingPods pods = StoppingPods.of(seen, settings, now);
    return new Plan(
        Plan.Stage.PAUSED, ledger, current.with(ledger), pods.deletions(), pods.deletableAt());
  }

  /** At resume every replica is created again, also those that were done, and none waits. */
  Ledger resume(Ledger ledger, RunModeKind mode) {
    Map<ReplicaId, Ledger.Slot> slots = new LinkedHashMap<>();
    for (CurrentReplica replica : current.with(ledger).all()) {
      int earlierPods = replica.slot().earlierPods();
      slots.put(
          replica.id(),
          new Ledger.Slot(replica.used() ? earlierPods + 1 : earlierPods, null, null));
    }
    return ledger.inMode(ledger.counts(), mode).withPause(Ledger.Pause.RESUMED).withSlots(slots);
  }
}
