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
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Restarts of containers by the kubelet, in pods whose restart policy lets it: each counts once
 * against the limit, whatever becomes of the pod, and the limit is that of all restarts. Once it is
 * used up, a container that ends is not started again: the job has failed.
 */
final class InPlaceRestarts {

  private static final Comparator<ObservedContainer> LATEST_END =
      Comparator.comparing(
          container -> end(container).finishedAt(),
          Comparator.nullsFirst(Comparator.naturalOrder()));

  private final CurrentState state;
  private final int limit;
  private @Nullable FailureWait waiting;
  private @Nullable PodFailure root;

  /** The restarts of one moment. */
  InPlaceRestarts(CurrentState state) {
    this.state = state;
    this.limit = state.spec().runPolicy().backoffLimit();
  }

  /**
   * Counts what the kubelets have restarted since the ledger was stored. When that is more than the
   * limit allows, or as many and one more is about to come, the job has failed.
   *
   * @param ledger the ledger as stored
   * @param mayWait whether the end may wait for other pods that are about to fail, one of which may
   *     be to blame
   * @return the same when there is nothing to count and nothing to end
   */
  Ledger decide(Ledger ledger, boolean mayWait) {
    List<PodFailure> failures = new ArrayList<>();
    Ledger counted = count(ledger, failures);
    boolean isNews = !counted.counts().equals(ledger.counts());
    // A limit that is lowered ends nothing by itself.
    boolean over = isNews && counted.counts().backoff() > limit;
    // A pause comes before the restart that must not be: the pods go for it.
    boolean mayEnd = counted.counts().backoff() >= limit && !state.spec().pause();
    List<CurrentReplica> last = mayEnd ? startingAgain(counted) : List.of();
    List<PodFailure> lastFailures = new ArrayList<>();
    last.forEach(replica -> failure(replica, ObservedContainer::startsAgain, lastFailures));
    failures.addAll(lastFailures);
    // The others of the same moment may have failed because of the first.
    root = failures.stream().min(PodFailure.TO_BLAME_FIRST).orElse(null);
    if (mayWait && !over && root != null && !lastFailures.isEmpty()) {
      waiting = FailureWait.inPlace(state, root, lastFailures, last);
    }
    boolean ends = over || (!last.isEmpty() && waiting == null);
    if (!ends && !isNews) {
      return ledger;
    }
    counted = root == null ? counted : counted.failed(root.toLedger(), counted.counts());
    return ends ? counted.ended(outcome(root, last), state.now()) : counted;
  }

  /**
   * Counts what the kubelets have restarted since the ledger was stored, of a job that ends for
   * another reason.
   *
   * @param ledger the ledger as stored
   * @return the same when there is nothing to count
   */
  Ledger counted(Ledger ledger) {
    List<PodFailure> failures = new ArrayList<>();
    Ledger counted = count(ledger, failures);
    return failures.stream()
        .min(PodFailure.TO_BLAME_FIRST)
        .map(failure -> counted.failed(failure.toLedger(), counted.counts()))
        .orElse(counted);
  }

  /**
   * Whether the failure of a pod is to blame rather than what the last decision blames.
   *
   * @param other a failure of a pod that is never started again
   * @return true also when both happened in the same moment, or when nothing is blamed
   */
  boolean isLessToBlameThan(PodFailure other) {
    return root == null || PodFailure.TO_BLAME_FIRST.compare(other, root) <= 0;
  }

  /**
   * What the last decision waits for.
   *
   * @return null when nothing waits
   */
  @Nullable FailureWait waiting() {
    return waiting;
  }

  private Ledger count(Ledger ledger, List<PodFailure> failures) {
    Map<ReplicaId, Ledger.Slot> slots = new LinkedHashMap<>();
    Ledger counted = ledger;
    for (CurrentReplica replica : state.replicas()) {
      Ledger.Slot slot = replica.slot();
      int more = more(replica, ledger);
      if (more > 0) {
        counted = counted.withCounts(counted.counts().restartedInPlace(replica.id().type(), more));
        slot = slot.restarted(slot.restarts() + more);
        failure(replica, container -> container.lastEnd() != null, failures);
      }
      slots.put(replica.id(), slot);
    }
    return counted.counts().equals(ledger.counts()) ? ledger : counted.withSlots(slots);
  }

  private static int more(CurrentReplica replica, Ledger ledger) {
    ObservedPod pod = replica.seen();
    return pod == null || CurrentState.isOfEarlierAttempt(replica, ledger)
        ? 0
        : pod.restarts() - replica.slot().restarts();
  }

  /** The replicas with a container that has ended and is about to be started again. */
  private List<CurrentReplica> startingAgain(Ledger ledger) {
    return state.replicas().stream()
        .filter(replica -> !CurrentState.isOfEarlierAttempt(replica, ledger))
        .filter(
            replica ->
                replica.pod() != null
                    && replica.pod().live()
                    && replica.pod().containers().stream().anyMatch(ObservedContainer::startsAgain))
        .toList();
  }

  /**
   * Of the containers in question, how the one failed that ended last; nothing if all were done.
   */
  private void failure(
      CurrentReplica replica, Predicate<ObservedContainer> which, List<PodFailure> failures) {
    ObservedPod pod = Objects.requireNonNull(replica.seen());
    pod.containers().stream()
        .filter(which.and(container -> end(container).failed()))
        .max(LATEST_END)
        .map(container -> PodFailure.inPlace(pod, end(container), state.now()))
        .ifPresent(failures::add);
  }

  private static ObservedContainer end(ObservedContainer restarted) {
    return Objects.requireNonNull(restarted.lastEnd());
  }

  private Ledger.Outcome outcome(@Nullable PodFailure failure, List<CurrentReplica> last) {
    String what =
        failure != null
            ? failure.describe()
            : last.isEmpty()
                ? "containers ended and were started again"
                : "a container of pod " + last.get(0).name() + " ended and would be started again";
    return new Ledger.Outcome(
        false,
        Conditions.Reasons.BACKOFF_LIMIT_EXCEEDED,
        what + "; the backoffLimit of " + limit + " restarts is used up");
  }
}
