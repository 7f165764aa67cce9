package dev.tensorstack.training.core.plan;

import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.core.policy.PodFailure;
import java.time.Duration;
import java.util.List;

/** The failure that others are the consequence of. */
final class RootCause {

  /** A failure of longer ago than this is not what made a peer fail. */
  private static final Duration CASCADE = Duration.ofMinutes(2);

  /** Clocks of nodes differ, and times of the API are cut to seconds. */
  private static final Duration SAME_MOMENT = Duration.ofSeconds(5);

  private RootCause() {}

  /**
   * Of the failures that happened at about the same time, the earliest whose process does not say
   * that it lost a peer.
   *
   * @return the failure itself when it is no consequence, or when nothing else is to blame
   */
  static PodFailure of(
      CurrentState state, PodFailure failure, List<PodFailure> failures, Ledger ledger) {
    if (!failure.lostPeer()) {
      return failure;
    }
    for (PodFailure other : failures) {
      boolean survivedLongAgo = !state.isDated(other) && ledger.reported().contains(other.pod());
      if (!other.lostPeer()
          && !survivedLongAgo
          && other.time().isAfter(failure.time().minus(CASCADE))) {
        return other;
      }
    }
    return failure;
  }

  /**
   * Whether a process lost its peer to a disruption that was decided on at an earlier look. The pod
   * of that one is replaced and counted, and nobody else is to blame.
   */
  static boolean isEarlierDisruption(CurrentState state, PodFailure failure, Ledger ledger) {
    ObservedPod pod = state.podOf(failure);
    return failure.lostPeer()
        && pod != null
        && ledger.disrupted().stream()
            .filter(one -> !one.replica().equals(failure.replica()))
            .map(Ledger.RecentDisruption::time)
            .anyMatch(
                time ->
                    time.isAfter(failure.time().minus(CASCADE))
                        && !time.isAfter(failure.time().plus(SAME_MOMENT))
                        && pod.createdAt().isBefore(time));
  }
}
