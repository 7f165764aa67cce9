package dev.tensorstack.training.core.plan;

import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.model.RunModeKind;
import dev.tensorstack.training.core.observe.Observation;
import dev.tensorstack.training.core.observe.ObservedPod;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

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
    List<PlannedAction> deletions = new ArrayList<>(ServicePlan.superfluous(seen, List.of()));
    boolean unfinished = !seen.creating().isEmpty();
    Instant requeueAt = null;
    for (ObservedPod pod : seen.pods()) {
      delete(pod, deletions);
      if (!pod.ended() && !pod.givenUp(settings.nodeLossGrace(), now)) {
        unfinished = true;
        requeueAt = Plan.earlier(requeueAt, pod.givenUpAt(settings.nodeLossGrace()));
      }
    }
    if (unfinished) {
      return new Plan(Plan.Stage.PAUSED, ledger, current.with(ledger), deletions, requeueAt);
    }
    // Whoever wished to go on meanwhile did so before this status; no event will come after it.
    Ledger next = ledger.withPause(Ledger.Pause.PAUSED);
    return new Plan(
        Plan.Stage.PAUSED,
        next,
        current.with(next),
        deletions,
        seen.job().spec().pause() ? null : now);
  }

  /** Nothing runs, and nothing shall: a pod that turns up late goes. */
  Plan stay(Ledger ledger) {
    List<PlannedAction> deletions = new ArrayList<>(ServicePlan.superfluous(seen, List.of()));
    Instant requeueAt = null;
    for (ObservedPod pod : seen.pods()) {
      delete(pod, deletions);
      requeueAt = Plan.earlier(requeueAt, deletableAt(pod));
    }
    return new Plan(Plan.Stage.PAUSED, ledger, current.with(ledger), deletions, requeueAt);
  }

  /** When a pod that came late to a node that is lost can be deleted; null when none needs that. */
  private @Nullable Instant deletableAt(ObservedPod pod) {
    Instant givenUpAt =
        seen.job().spec().traits().reusesPodNames()
            ? pod.givenUpAt(settings.nodeLossGrace())
            : null;
    return givenUpAt != null && now.isBefore(givenUpAt) ? givenUpAt : null;
  }

  /** A pod on a lost node has a name that those of the resume will have, and nobody ends it. */
  private void delete(ObservedPod pod, List<PlannedAction> deletions) {
    boolean atOnce =
        seen.job().spec().traits().reusesPodNames()
            && (pod.givenUp(settings.nodeLossGrace(), now) || pod.waitsForLostKubelet());
    if (atOnce || goes(pod)) {
      deletions.add(new PlannedAction.DeletePod(pod.name(), pod.uid(), atOnce));
    }
  }

  /** Ended pods stay for their logs, unless those of the resume will have their names. */
  private boolean goes(ObservedPod pod) {
    return pod.live() || (seen.job().spec().traits().reusesPodNames() && !pod.deleting());
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
