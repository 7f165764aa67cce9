package dev.tensorstack.training.core.plan;

import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.model.CleanUpPolicy;
import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.model.ServiceLayout;
import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.core.naming.Conditions;
import dev.tensorstack.training.core.observe.Observation;
import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.core.policy.CleanUp;
import dev.tensorstack.training.core.policy.TimeToLive;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What is left to do for a job that has ended: its pods are cleaned up, and later itself. */
final class EndedJob {

  private final Observation seen;
  private final List<Violation> violations;
  private final PlanSettings settings;
  private final Instant now;

  EndedJob(Observation seen, List<Violation> violations, PlanSettings settings, Instant now) {
    this.seen = seen;
    this.violations = violations;
    this.settings = settings;
    this.now = now;
  }

  /**
   * Plans the clean-up.
   *
   * @param ledger the ledger, with an outcome
   */
  Plan plan(Ledger ledger) {
    TrainingJob job = seen.job();
    CurrentReplicas replicas =
        violations.isEmpty() || ledger.startTime() != null
            ? CurrentReplicas.of(seen, ledger, DesiredReplicas.ofEnded(seen, ledger))
            : null;
    Instant completed = ledger.completionTime() == null ? now : ledger.completionTime();
    Instant endOfLife = TimeToLive.end(job.spec().runPolicy(), completed);
    boolean isOver = endOfLife != null && !now.isBefore(endOfLife);
    if (isOver && job.spec().queue() != null) {
      StoppingPods pods = StoppingPods.of(seen, settings, now);
      if (pods.unfinished()) {
        // With the job goes its place in the queue, and pods would run on without it.
        return new Plan(Plan.Stage.ENDED, ledger, replicas, pods.deletions(), pods.requeueAt());
      }
    }
    if (isOver) {
      return new Plan(
          Plan.Stage.ENDED,
          ledger,
          replicas,
          List.of(new PlannedAction.DeleteJob(job.uid())),
          null);
    }
    List<PlannedAction> stops = stopsForQueue();
    if (!stops.isEmpty()) {
      return new Plan(Plan.Stage.ENDED, ledger, replicas, stops, endOfLife);
    }
    List<PlannedAction> deletions = deletions(ledger);
    deletions.addAll(services(ledger, replicas));
    Instant endsUntil = endsUntil(ledger);
    Instant from = cleanUpFrom(ledger, completed);
    Plan plan =
        now.isBefore(from)
            ? new Plan(
                Plan.Stage.ENDED, ledger, replicas, List.of(), deletions.isEmpty() ? null : from)
            : new Plan(Plan.Stage.ENDED, ledger, replicas, deletions, null);
    return plan.notLaterThan(endOfLife).notLaterThan(endsUntil);
  }

  /** What the clean-up has kept goes when the queue wants its share back. */
  private List<PlannedAction> stopsForQueue() {
    if (!QueueState.of(seen).takesBack()) {
      return List.of();
    }
    List<PlannedAction> stops = new ArrayList<>();
    seen.pods().stream()
        .filter(ObservedPod::live)
        .forEach(pod -> stops.add(new PlannedAction.DeletePod(pod.name(), pod.uid())));
    return stops;
  }

  private List<PlannedAction> deletions(Ledger ledger) {
    CleanUpPolicy policy = seen.job().spec().runPolicy().cleanUp();
    boolean stopsAll = stopsAll(ledger);
    List<PlannedAction> deletions = new ArrayList<>();
    for (ObservedPod pod : seen.pods()) {
      if (CleanUp.deletes(policy, stopsAll, pod)) {
        deletions.add(
            endsUntil(ledger, pod) == null
                ? new PlannedAction.DeletePod(pod.name(), pod.uid())
                : new PlannedAction.EndPod(pod.name(), pod.uid()));
      }
    }
    return deletions;
  }

  /** What hangs would hang for ever. */
  private boolean stopsAll(Ledger ledger) {
    return Hangs.endedBy(ledger) || CleanUp.stopsAll(seen.job().spec(), ledger.outcome());
  }

  private @Nullable Instant endsUntil(Ledger ledger, ObservedPod pod) {
    return Hangs.endedBy(ledger)
        ? EndingInPlace.until(seen.job().spec(), ledger.lastFailure(), pod, now)
        : null;
  }

  /** When those are deleted that do not end by then. */
  private @Nullable Instant endsUntil(Ledger ledger) {
    Instant until = null;
    for (ObservedPod pod : seen.pods()) {
      until = Plan.earlier(until, endsUntil(ledger, pod));
    }
    return until;
  }

  /** Services leave with the pods of their replicas; where pods are kept, they stay. */
  private List<PlannedAction.DeleteDependent> services(
      Ledger ledger, @Nullable CurrentReplicas replicas) {
    CleanUpPolicy policy = seen.job().spec().runPolicy().cleanUp();
    if (replicas == null
        || (policy == CleanUpPolicy.NONE && !stopsAll(ledger))
        || seen.job().spec().traits().services() == ServiceLayout.ONE_FOR_ALL_PODS) {
      return List.of();
    }
    Set<ReplicaId> kept =
        policy == CleanUpPolicy.ALL
            ? Set.of()
            : seen.pods().stream()
                .filter(ObservedPod::ended)
                .map(ObservedPod::replica)
                .collect(Collectors.toSet());
    return ServicePlan.superfluous(
        seen,
        ServicePlan.wanted(seen.job(), replicas.layout()).stream()
            .filter(service -> kept.contains(service.replica()))
            .toList());
  }

  private Instant cleanUpFrom(Ledger ledger, Instant completed) {
    boolean torchrun = seen.job().spec().torchrun() != null;
    Ledger.@Nullable Outcome outcome = ledger.outcome();
    if (outcome == null || seen.pods().stream().allMatch(ObservedPod::ended)) {
      return completed;
    }
    return outcome.succeeded()
        ? CleanUp.afterSuccess(completed, torchrun, settings.agentExitGrace())
        : CleanUp.afterFailure(
            completed, failedAt(ledger, outcome), torchrun, settings.failureGrace());
  }

  /** A deadline stops what runs at once; what was invalid has no pods. */
  private static @Nullable Instant failedAt(Ledger ledger, Ledger.Outcome outcome) {
    boolean byFailure =
        outcome.reason().equals(Conditions.Reasons.REPLICA_FAILED)
            || outcome.reason().equals(Conditions.Reasons.BACKOFF_LIMIT_EXCEEDED);
    Ledger.Failure last = ledger.lastFailure();
    // What hangs does not end by itself.
    return !byFailure || last == null || Hangs.endedBy(ledger) ? null : last.time();
  }
}
