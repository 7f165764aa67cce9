package dev.tensorstack.training.core.plan;

import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.model.FailureCause;
import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.core.policy.FailureGrace;
import dev.tensorstack.training.core.policy.PodFailure;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A failure on which nothing is decided yet, because the other pods are about to end, or to be
 * read.
 *
 * @param failure the one that would be blamed now, as a sentence for people
 * @param until when it is decided at the latest
 */
record FailureWait(String failure, Instant until) {

  /** So long a node may have been gone before the node controller says that it is lost. */
  private static final Duration UNTIL_LOST = Duration.ofMinutes(1);

  /**
   * The wait for the other pods. torchrun's agents end by themselves once a peer is gone. Other
   * pods may have ended in the same moment, the master perhaps well, and their nodes have not said
   * so yet. One of an earlier attempt, whose creation came late, fails of something else, and is
   * stopped anyway.
   *
   * @param failure the failure that asks for a decision
   * @param root the failure that led to it
   * @param failures all failures of this moment
   * @param ledger the ledger, which says which attempt the failures are of
   * @return the wait; null when the decision is due
   */
  static @Nullable FailureWait of(
      CurrentState state,
      PodFailure failure,
      PodFailure root,
      List<PodFailure> failures,
      Ledger ledger) {
    Instant until =
        FailureGrace.until(
            beginOfCascade(state, failure, failures),
            root.cause(),
            state.replicas().stream()
                .filter(replica -> !CurrentState.isOfEarlierAttempt(replica, ledger))
                .anyMatch(replica -> mayEndByItself(replica) || isBeingRead(state, replica)),
            state.failureGrace(),
            state.now());
    return until == null ? null : new FailureWait(root.describe(), until);
  }

  /**
   * The wait for other pods before a job ends whose restarts in place are used up. A failure that
   * points to no other pod waits only for a pod that may have made the job succeed in the same
   * moment.
   *
   * @param ending how the job is about to end; nothing starts again what ends it
   * @return the wait; null when the end is due
   */
  static @Nullable FailureWait inPlace(CurrentState state, Ledger.Ending ending) {
    Instant until =
        FailureGrace.until(
            ending.since(),
            FailureCause.Application,
            state.replicas().stream()
                .filter(replica -> !ending.own() || mayMakeTheJobSucceed(state, replica))
                .anyMatch(replica -> replica.slot().end() == null && mayEndByItself(replica)),
            ending.own() ? state.settings().failureGrace(false) : state.failureGrace(),
            state.now());
    return until == null ? null : new FailureWait(ending.outcome().message(), until);
  }

  private static boolean mayMakeTheJobSucceed(CurrentState state, CurrentReplica replica) {
    return switch (state.spec().traits().success()) {
      case MASTER -> state.isMaster(replica.id());
      case ANY_REPLICA -> true;
      case ALL_REPLICAS -> false;
    };
  }

  /**
   * Processes fail because a peer's node is lost before anybody can know that it is. All pods start
   * anew in that case, and cannot before the grace of the lost node is over; so the decision waits
   * for it, and the node is the root cause if it does not come back.
   */
  static boolean mayBeBecauseOfALostNode(CurrentState state, PodFailure failure, PodFailure root) {
    return FailureScope.startsAllAnew(state, failure)
        && root.cause() == FailureCause.Application
        && state.replicas().stream()
            .map(CurrentReplica::pod)
            .filter(Objects::nonNull)
            .anyMatch(
                pod ->
                    !pod.ended()
                        && !pod.deleting()
                        && pod.lostSince() != null
                        && !pod.givenUp(state.settings().nodeLossGrace(), state.now())
                        && !pod.lostSince().isAfter(root.time().plus(UNTIL_LOST)));
  }

  /** The grace of several failures that come one after another begins with the first. */
  private static @Nullable Instant beginOfCascade(
      CurrentState state, PodFailure failure, List<PodFailure> failures) {
    if (!state.isDated(failure)) {
      return null;
    }
    Instant from = failure.time().minus(state.failureGrace());
    return failures.stream()
        .filter(state::isDated)
        .map(PodFailure::time)
        .filter(time -> !time.isBefore(from))
        .min(Comparator.naturalOrder())
        .orElse(failure.time());
  }

  private static boolean mayEndByItself(CurrentReplica replica) {
    ObservedPod pod = replica.pod();
    return pod != null
        && pod.live()
        && pod.phase() == ObservedPod.Phase.RUNNING
        && pod.lostSince() == null;
  }

  /** Its log will say within moments whose failure it was. */
  private static boolean isBeingRead(CurrentState state, CurrentReplica replica) {
    return replica.pod() != null && state.isBeingRead(replica.pod());
  }

  /** One sentence for people. */
  String describe() {
    return failure
        + "; the other pods have until "
        + until.truncatedTo(ChronoUnit.SECONDS)
        + " to end by themselves";
  }
}
