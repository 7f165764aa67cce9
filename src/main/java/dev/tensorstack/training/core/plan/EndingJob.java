package dev.tensorstack.training.core.plan;

import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.model.RestartPolicy;
import dev.tensorstack.training.core.observe.FailureText;
import dev.tensorstack.training.core.observe.Observation;
import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.core.policy.PodFailure;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * A job whose restarts in place are used up. The pods whose containers must not be started again
 * are stopped at once, since their kubelets start a container within the second. What the job comes
 * to is decided a moment later: a pod that ended at the same time may have made it succeed, or may
 * be to blame, and its node has not said so yet. Nothing else is done meanwhile.
 */
final class EndingJob {

  private final CurrentReplicas current;
  private final Observation seen;
  private final PlanSettings settings;
  private final Instant now;

  EndingJob(CurrentReplicas current, PlanSettings settings, Instant now) {
    this.current = current;
    this.seen = current.seen();
    this.settings = settings;
    this.now = now;
  }

  /**
   * Stops the pods, and ends the job when nothing is left to wait for.
   *
   * @param ledger the ledger, with the end to come
   * @param mayWait whether the end may wait for other pods
   * @param end what is done once the job has ended
   */
  Plan plan(Ledger ledger, boolean mayWait, EndedJob end) {
    Ledger.Ending ending = Objects.requireNonNull(ledger.ending());
    CurrentReplicas replicas = current.with(ledger);
    FailureWait wait = mayWait ? FailureWait.inPlace(state(replicas.all()), ending) : null;
    return wait == null
        ? end.plan(ended(ledger, ending, replicas))
        : new Plan(Plan.Stage.ACTIVE, ledger, replicas, deletions(replicas), null)
            .whileFailing(wait);
  }

  /** Besides those that must not be started again, what is no replica's present pod goes. */
  private List<PlannedAction> deletions(CurrentReplicas replicas) {
    Set<String> stay = new HashSet<>();
    for (CurrentReplica replica : replicas.all()) {
      if (replica.pod() != null && replica.slot().end() == null) {
        stay.add(replica.pod().uid());
      }
    }
    List<PlannedAction> deletions = new ArrayList<>();
    for (ObservedPod pod : seen.pods()) {
      if (pod.live() && !stay.contains(pod.uid())) {
        deletions.add(new PlannedAction.DeletePod(pod.name(), pod.uid()));
      }
    }
    deletions.addAll(
        ServicePlan.superfluous(seen, ServicePlan.wanted(seen.job(), replicas.layout())));
    return deletions;
  }

  /** A replica that is never started again ends the job as well, and may be why others failed. */
  private Ledger ended(Ledger ledger, Ledger.Ending ending, CurrentReplicas replicas) {
    CurrentState others =
        state(replicas.all().stream().filter(replica -> !startsInPlace(replica)).toList());
    Ledger otherwise =
        CurrentFailures.of(others, ledger).stream()
                .anyMatch(failure -> isToBlame(failure, ledger, ending))
            ? new FailureHandling(others).decide(ledger, false)
            : ledger;
    return otherwise.outcome() == null ? ledger.ended(ending.outcome(), now) : otherwise;
  }

  private boolean startsInPlace(CurrentReplica replica) {
    return seen.job().spec().type(replica.id().type()).restartPolicy() == RestartPolicy.ON_FAILURE;
  }

  private static boolean isToBlame(PodFailure other, Ledger ledger, Ledger.Ending ending) {
    Ledger.Failure blamed = ledger.lastFailure();
    return other.origin() == FailureText.Origin.OWN
        && (!ending.own()
            || blamed == null
            || blamed.time() == null
            || !other.begun().isAfter(blamed.time()));
  }

  private CurrentState state(List<CurrentReplica> replicas) {
    return new CurrentState(
        seen.job().spec(), current.layout(), replicas, seen.notes(), settings, now);
  }
}
