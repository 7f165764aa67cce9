package dev.tensorstack.training.core.plan;

import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.model.FailureCause;
import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.core.policy.PodFailure;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** The failures of the present pods on which nothing is decided yet. */
final class CurrentFailures {

  /** In the same second, what the cluster did comes before what the processes made of it. */
  private static final Comparator<PodFailure> EARLIEST_FIRST =
      Comparator.comparing(PodFailure::time)
          .thenComparing(failure -> failure.cause() != FailureCause.Disruption);

  private CurrentFailures() {}

  /** Finds them, the earliest first. */
  static List<PodFailure> of(CurrentState state, Ledger ledger) {
    return state.replicas().stream()
        .filter(replica -> !CurrentState.isOfEarlierAttempt(replica, ledger))
        .filter(replica -> !replica.done())
        .map(replica -> failure(state, replica))
        .flatMap(Optional::stream)
        .sorted(EARLIEST_FIRST)
        .toList();
  }

  /**
   * Whether a failure is known and undated: its pod was removed, or has no container that failed.
   *
   * @param ledger the ledger as stored
   */
  static boolean isOfLongAgo(CurrentState state, PodFailure failure, Ledger ledger) {
    return !state.isDated(failure) && ledger.reported().contains(failure.pod());
  }

  private static Optional<PodFailure> failure(CurrentState state, CurrentReplica replica) {
    Ledger.RecordedEnd end = replica.slot().end();
    ObservedPod pod = replica.pod();
    if (end != null) {
      if (end.succeeded()) {
        return Optional.empty();
      }
      ObservedPod last = replica.seen();
      return Optional.of(
          last != null && last.phase() == ObservedPod.Phase.FAILED
              ? PodFailure.recorded(last, state.failureText(last), end, state.now())
              : PodFailure.recorded(replica.id(), replica.name(), end, state.now()));
    }
    if (pod != null) {
      return PodFailure.of(
          pod, state.failureText(pod), state.now(), state.settings().nodeLossGrace());
    }
    return replica.slot().uid() == null
        ? Optional.empty()
        : Optional.of(
            PodFailure.vanished(
                replica.id(), replica.name(), state.neverStarted(replica.name()), state.now()));
  }
}
