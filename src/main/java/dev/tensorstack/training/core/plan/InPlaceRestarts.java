package dev.tensorstack.training.core.plan;

import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.naming.Conditions;
import dev.tensorstack.training.core.observe.ObservedContainer;
import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.core.policy.PodFailure;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Restarts of containers by the kubelet, in pods whose restart policy lets it: each counts once
 * against the limit, whatever becomes of the pod, and the limit is that of all restarts.
 */
final class InPlaceRestarts {

  private static final Comparator<ObservedContainer> LATEST_END =
      Comparator.comparing(
          container -> end(container).finishedAt(),
          Comparator.nullsFirst(Comparator.naturalOrder()));

  private InPlaceRestarts() {}

  /**
   * Counts what the kubelets have restarted since the ledger was stored. When that is more than the
   * limit allows, the job has failed.
   *
   * @param ledger the ledger as stored
   * @return the same when there is nothing to count
   */
  static Ledger count(CurrentState state, Ledger ledger) {
    Map<ReplicaId, Ledger.Slot> slots = new LinkedHashMap<>();
    Ledger counted = ledger;
    List<PodFailure> failures = new ArrayList<>();
    for (CurrentReplica replica : state.replicas()) {
      Ledger.Slot slot = replica.slot();
      int more = more(replica, ledger);
      if (more > 0) {
        counted = counted.withCounts(counted.counts().restartedInPlace(replica.id().type(), more));
        slot = slot.restarted(slot.restarts() + more);
        failure(state, replica).ifPresent(failures::add);
      }
      slots.put(replica.id(), slot);
    }
    if (counted.counts().equals(ledger.counts())) {
      return ledger;
    }
    // The others of the same moment may have failed because of the first.
    PodFailure failure =
        failures.stream()
            .min(Comparator.comparing(PodFailure::origin).thenComparing(PodFailure::begun))
            .orElse(null);
    counted = counted.withSlots(slots);
    counted = failure == null ? counted : counted.failed(failure.toLedger(), counted.counts());
    int limit = state.spec().runPolicy().backoffLimit();
    return counted.counts().backoff() <= limit
        ? counted
        : counted.ended(outcome(failure, limit), state.now());
  }

  private static int more(CurrentReplica replica, Ledger ledger) {
    ObservedPod pod = replica.seen();
    return pod == null || CurrentState.isOfEarlierAttempt(replica, ledger)
        ? 0
        : pod.restarts() - replica.slot().restarts();
  }

  /** The latest end that was followed by a restart; empty when all of them ended well. */
  private static Optional<PodFailure> failure(CurrentState state, CurrentReplica replica) {
    ObservedPod pod = Objects.requireNonNull(replica.seen());
    return pod.containers().stream()
        .filter(container -> container.lastEnd() != null && container.lastEnd().failed())
        .max(LATEST_END)
        .map(container -> PodFailure.inPlace(pod, end(container), state.now()));
  }

  private static ObservedContainer end(ObservedContainer restarted) {
    return Objects.requireNonNull(restarted.lastEnd());
  }

  private static Ledger.Outcome outcome(@Nullable PodFailure failure, int limit) {
    return new Ledger.Outcome(
        false,
        Conditions.Reasons.BACKOFF_LIMIT_EXCEEDED,
        (failure == null ? "containers ended and were started again" : failure.describe())
            + "; the backoffLimit of "
            + limit
            + " restarts is used up");
  }
}
