package dev.tensorstack.training.core.plan;

import static java.util.Objects.requireNonNullElse;

import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.model.FailureCause;
import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.model.RunModeKind;
import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.core.policy.PodFailure;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Turns failed pods into decisions of the ledger (docs/concepts.md, Success and failure). Each
 * failure is decided on once: the decision gives the replica another pod, or ends the job.
 */
final class FailureHandling {

  private final CurrentState state;
  private final FailureBudget budget;
  private final FailureTolerance tolerance;
  private final Restarts restarts;
  private @Nullable FailureWait waiting;

  /** The failures of one moment. */
  FailureHandling(CurrentState state) {
    this.state = state;
    this.budget = new FailureBudget(state);
    this.tolerance = new FailureTolerance(state);
    this.restarts = new Restarts(state.settings(), state.spec().runPolicy(), state.now());
  }

  /**
   * Decides on the failures of the present pods. When the root cause starts all pods anew, the
   * others are its cascade.
   *
   * @param stored the ledger as stored
   * @param mayWait whether the decision may wait for pods that are about to end; it may not when
   *     something else is to be decided after it
   * @return the same decisions when there is nothing to decide, or not yet, else a ledger with
   *     restarts or an end in it
   */
  Ledger decide(Ledger stored, boolean mayWait) {
    if (stored.mode() == RunModeKind.DEBUG) {
      return DebugPods.replace(state, restarts, stored);
    }
    List<PodFailure> failures = inOrder(CurrentFailures.of(state, stored), stored);
    Ledger ledger = CorrectedFailure.of(state, stored, failures);
    Ledger result = ledger;
    List<PodFailure> survived = new ArrayList<>();
    Set<ReplicaId> replaced = new HashSet<>();
    for (PodFailure failure : failures) {
      boolean terminal = budget.isTerminal(failure, result.counts());
      if (terminal && tolerance.enoughRemain(failure, survived.size() + 1)) {
        survived.add(failure);
      } else if (!terminal && !FailureScope.startsAllAnew(state, failure)) {
        result = replaceAlone(result, failure);
        replaced.add(failure.replica());
      } else {
        PodFailure root = RootCause.of(state, failure, failures, survived, ledger);
        if (mayWait && isToWait(failure, root, failures, result, survived)) {
          return ledger;
        }
        return decide(ledger, result, failure, root, failures, survived.size(), replaced);
      }
    }
    Ledger tolerating = withSpent(tolerance.tolerate(result, survived), survived);
    return RepeatedReplicas.repeat(state, tolerating);
  }

  /**
   * What the job goes on without since an earlier look comes first: when nothing says any more when
   * it failed, it would be the latest at each look, and to blame for what others do.
   */
  private List<PodFailure> inOrder(List<PodFailure> earliestFirst, Ledger ledger) {
    return earliestFirst.stream()
        .sorted(
            Comparator.comparing(
                failure ->
                    !(CurrentFailures.isOfLongAgo(state, failure, ledger)
                        && budget.isTerminal(failure, ledger.counts())
                        && tolerance.enoughRemain(failure, 1))))
        .toList();
  }

  /**
   * A failure that only the limit made terminal is recorded as that: the limit may be raised. Of a
   * job in a queue each is whose pod uses nothing any more, because what the job goes on without
   * gives back its share for good.
   */
  private Ledger withSpent(Ledger ledger, List<PodFailure> survived) {
    List<PodFailure> spent =
        survived.stream()
            .filter(failure -> !state.isTolerated(failure))
            .filter(
                failure ->
                    budget.isSpent(failure, ledger.counts())
                        || (state.spec().queue() != null && !isOccupied(failure)))
            .toList();
    return spent.isEmpty()
        ? ledger
        : ledger.withSlots(Slots.tolerated(ledger, state.replicas(), spent));
  }

  /** Whether the pod that failed is still there and may go on, as on a node that is lost. */
  private boolean isOccupied(PodFailure failure) {
    ObservedPod pod = state.podOf(failure);
    return pod != null && !pod.ended();
  }

  /**
   * What the last decision waits for.
   *
   * @return null when nothing waits
   */
  @Nullable FailureWait waiting() {
    return waiting;
  }

  private boolean isToWait(
      PodFailure failure,
      PodFailure root,
      List<PodFailure> failures,
      Ledger ledger,
      List<PodFailure> survived) {
    if (!isAnyOverdue(failures, ledger.counts(), survived)) {
      waiting = FailureWait.of(state, failure, root, failures, ledger);
    }
    return waiting != null || FailureWait.mayBeBecauseOfALostNode(state, failure, root);
  }

  /**
   * Whether nobody says when a failure happened that asks for a decision: its pod is gone, or its
   * kubelet has refused it. It does not wait when it is alone, and must not begin to wait with each
   * failure that follows while its decision cannot be stored. What is being deleted or is on a lost
   * node has a moment of its own, which stays.
   */
  private boolean isAnyOverdue(
      List<PodFailure> failures, Ledger.Counts counts, List<PodFailure> survived) {
    return failures.stream()
        .filter(failure -> !survived.contains(failure) && isUndated(failure))
        .anyMatch(
            failure ->
                budget.isTerminal(failure, counts)
                    ? !tolerance.enoughRemain(failure, survived.size() + 1)
                    : FailureScope.startsAllAnew(state, failure));
  }

  private boolean isUndated(PodFailure failure) {
    return state.podOf(failure) == null
        || (!state.isDated(failure) && failure.time().equals(state.now()));
  }

  /** The root cause decides if it would by itself, else the failure that it has led to. */
  private Ledger decide(
      Ledger before,
      Ledger ledger,
      PodFailure failure,
      PodFailure root,
      List<PodFailure> failures,
      int survived,
      Set<ReplicaId> replaced) {
    FailureCause earlier = RootCause.countedEarlier(state, root, before);
    boolean isCounted = earlier != null || replaced.contains(root.replica());
    boolean rootIsTerminal = !isCounted && budget.isTerminal(root, ledger.counts());
    boolean rootDecides =
        rootIsTerminal
            ? !tolerance.enoughRemain(root, survived + 1)
            : FailureScope.startsAllAnew(state, root);
    PodFailure deciding = rootDecides && !isCounted ? root : failure;
    // What only follows from a failure that is restarted is restarted with it.
    boolean follows = earlier != null || (!root.equals(failure) && !rootIsTerminal);
    if (!follows && budget.isTerminal(deciding, ledger.counts())) {
      return before
          .failed(root.toLedger(), budget.paid(before, failures, replaced))
          .ended(budget.outcome(deciding, root, ledger.counts()), state.now());
    }
    // A root cause that was replaced alone, a moment ago or at an earlier look, is counted already.
    Ledger counted =
        isCounted
            ? ledger.inMode(
                ledger.counts().nextAttempt(), requireNonNullElse(ledger.mode(), RunModeKind.TRAIN))
            : restarts.counted(ledger, root, true);
    FailureCause cause = earlier == null ? root.cause() : earlier;
    return counted.withSlots(
        Slots.ofNextAttempt(
            ledger, state.replicas(), restarts.notBefore(counted, cause, root.time())));
  }

  private Ledger replaceAlone(Ledger ledger, PodFailure failure) {
    Ledger counted = restarts.counted(ledger, failure, false);
    return counted.withSlots(
        Slots.replaced(
            ledger,
            state.replicas(),
            failure.replica(),
            restarts.notBefore(counted, failure.cause(), failure.time())));
  }
}
