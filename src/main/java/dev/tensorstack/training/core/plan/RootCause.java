package dev.tensorstack.training.core.plan;

import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.observe.FailureText;
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
   * Of the failures that happened at about the same time, the earliest that says what went wrong;
   * if none does, the earliest that may have been the first; a process that lost its peer is only
   * blamed when nobody else can be.
   *
   * @return the failure itself when it says what went wrong, or when nothing else is to blame
   */
  static PodFailure of(
      CurrentState state, PodFailure failure, List<PodFailure> failures, Ledger ledger) {
    PodFailure root = failure;
    boolean later = false;
    for (PodFailure other : failures) {
      // What came before was judged already: of its kind, only a later one can have begun earlier.
      boolean better =
          later && other.origin() == root.origin()
              ? other.begun().isBefore(root.begun())
              : other.origin().compareTo(root.origin()) < 0;
      boolean survivedLongAgo = !state.isDated(other) && ledger.reported().contains(other.pod());
      if (better && !survivedLongAgo && other.time().isAfter(failure.time().minus(CASCADE))) {
        root = other;
      }
      later = later || other.equals(failure);
    }
    return root;
  }

  /**
   * Whether a process lost its peer to a disruption that was decided on at an earlier look. The pod
   * of that one is replaced and counted, and nobody else is to blame.
   */
  static boolean isEarlierDisruption(CurrentState state, PodFailure failure, Ledger ledger) {
    ObservedPod pod = state.podOf(failure);
    return failure.origin() == FailureText.Origin.CONSEQUENCE
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
