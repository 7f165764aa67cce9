package dev.tensorstack.training.core.plan;

import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.model.FailureCause;
import dev.tensorstack.training.core.observe.FailureText;
import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.core.policy.PodFailure;
import dev.tensorstack.training.core.policy.TerminationMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The failure that others are the consequence of. */
final class RootCause {

  /** A failure of longer ago than this is not what made a peer fail. */
  private static final Duration CASCADE = Duration.ofMinutes(2);

  /** Clocks of nodes differ, and times of the API are cut to seconds. */
  private static final Duration SAME_MOMENT = Duration.ofSeconds(5);

  private static final int SIGTERM = 128 + 15;

  private RootCause() {}

  /**
   * Of the failures that happened at about the same time, the earliest that says what went wrong;
   * if none does, the earliest that may have been the first; a process that lost its peer is only
   * blamed when nobody else can be.
   *
   * @param failure the failure that asks for a decision
   * @param failures all of this moment, in the order in which they are judged
   * @param survived those among them that the job goes on without; at an earlier look already, they
   *     are to blame for nothing
   * @param ledger the ledger as stored
   * @return the failure itself when it says what went wrong, or when nothing else is to blame
   */
  static PodFailure of(
      CurrentState state,
      PodFailure failure,
      List<PodFailure> failures,
      List<PodFailure> survived,
      Ledger ledger) {
    PodFailure root = failure;
    boolean later = false;
    for (PodFailure other : failures) {
      // What came before was judged already: of its kind, only a later one can have begun earlier.
      boolean better =
          later && other.origin() == root.origin()
              ? !CurrentFailures.isOfLongAgo(state, root, ledger)
                  && other.begun().isBefore(root.begun())
              : other.origin().compareTo(root.origin()) < 0;
      boolean survivedLongAgo =
          survived.contains(other) && CurrentFailures.isOfLongAgo(state, other, ledger);
      if (better && !survivedLongAgo && other.time().isAfter(failure.time().minus(CASCADE))) {
        root = other;
      }
      later = later || other.equals(failure);
    }
    return root;
  }

  /**
   * Whether a process lost its peer to a failure that was decided on at an earlier look. The pod of
   * that one was replaced alone and is counted, and nobody else is to blame.
   *
   * @return the cause of the earlier failure; null when there is none
   */
  static @Nullable FailureCause countedEarlier(
      CurrentState state, PodFailure failure, Ledger ledger) {
    ObservedPod pod = state.podOf(failure);
    if (failure.origin() != FailureText.Origin.CONSEQUENCE || pod == null || wasStopped(failure)) {
      return null;
    }
    boolean disruption =
        ledger.disrupted().stream()
            .filter(one -> !one.replica().equals(failure.replica()))
            .anyMatch(one -> mayHaveLedTo(failure, pod, one.time()));
    if (disruption) {
      return FailureCause.Disruption;
    }
    Ledger.Failure last = ledger.lastFailure();
    return last != null
            && last.time() != null
            && last.cause() == FailureCause.Application
            && !failure.replica().toString().equals(last.replica())
            && state.isReplaced(last)
            && mayHaveLedTo(failure, pod, last.time())
        ? FailureCause.Application
        : null;
  }

  /** What lost its peer ends by itself; this was told to, which torchrun tells as an exception. */
  private static boolean wasStopped(PodFailure failure) {
    return Objects.equals(failure.exitCode(), SIGTERM)
        || (failure.message() != null && failure.message().contains(TerminationMessage.STOPPED));
  }

  private static boolean mayHaveLedTo(PodFailure failure, ObservedPod pod, Instant earlier) {
    return earlier.isAfter(failure.time().minus(CASCADE))
        && !earlier.isAfter(failure.time().plus(SAME_MOMENT))
        && pod.createdAt().isBefore(earlier);
  }
}
