package dev.tensorstack.training.core.plan;

import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.naming.Conditions;
import dev.tensorstack.training.core.observe.FailureText;
import dev.tensorstack.training.core.observe.ObservedContainer;
import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.core.policy.PodFailure;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Restarts of containers by the kubelet, in pods whose restart policy lets it: each counts once
 * against the limit, whatever becomes of the pod, and the limit is that of all restarts. Once it is
 * used up, a container that ends is not started again: its pod is stopped, and the job is about to
 * end ({@link EndingJob}).
 */
final class InPlaceRestarts {

  private static final Comparator<ObservedContainer> LATEST_END =
      Comparator.comparing(
          container -> end(container).finishedAt(),
          Comparator.nullsFirst(Comparator.naturalOrder()));

  /** How a container ended of which the kubelet says only that it was started again. */
  private static final Ledger.RecordedEnd NOT_TOLD =
      new Ledger.RecordedEnd(false, false, null, null);

  private final CurrentState state;
  private final int limit;

  /** The restarts of one moment. */
  InPlaceRestarts(CurrentState state) {
    this.state = state;
    this.limit = state.spec().runPolicy().backoffLimit();
  }

  /**
   * Counts what the kubelets have restarted since the ledger was stored. When that is more than the
   * limit allows, or as many and one more is about to come, the job is about to end, and what has
   * ended has ended for good.
   *
   * @param ledger the ledger as stored
   * @return the same when there is nothing to count and nothing ends
   */
  Ledger decide(Ledger ledger) {
    List<PodFailure> failures = new ArrayList<>();
    Ledger counted = count(ledger, failures);
    boolean isNews = !counted.counts().equals(ledger.counts());
    // A limit that is lowered ends nothing by itself.
    boolean over = isNews && counted.counts().backoff() > limit;
    // A pause comes before the restart that must not be: the pods go for it.
    boolean mayEnd =
        ledger.ending() != null || (counted.counts().backoff() >= limit && !state.spec().pause());
    List<CurrentReplica> last = mayEnd ? startingAgain(counted) : List.of();
    last.forEach(replica -> failure(replica, ObservedContainer::startsAgain, failures));
    // The others of the same moment may have failed because of the first.
    PodFailure root = failures.stream().min(PodFailure.TO_BLAME_FIRST).orElse(null);
    List<CurrentReplica> ended =
        state.replicas().stream()
            .filter(replica -> ledger.ending() == null || replica.slot().end() == null)
            .filter(replica -> last.contains(replica) || (over && more(replica, ledger) > 0))
            .toList();
    if (!ended.isEmpty()) {
      return ending(counted, root, ended);
    }
    if (!isNews) {
      return ledger;
    }
    return root == null || ledger.ending() != null
        ? counted
        : counted.failed(root.toLedger(), counted.counts());
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

  private Ledger count(Ledger ledger, List<PodFailure> failures) {
    Map<ReplicaId, Ledger.Slot> slots = new LinkedHashMap<>();
    Ledger counted = ledger;
    for (CurrentReplica replica : state.replicas()) {
      Ledger.Slot slot = replica.slot();
      int more = more(replica, ledger);
      if (more > 0) {
        counted =
            counted.withCounts(
                counted.counts().restartedInPlace(replica.id().type(), more, state.now()));
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
        .filter(InPlaceRestarts::startsAgain)
        .toList();
  }

  private static boolean startsAgain(CurrentReplica replica) {
    return replica.pod() != null
        && replica.pod().live()
        && replica.pod().containers().stream().anyMatch(ObservedContainer::startsAgain);
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

  /**
   * The job is about to end; what ended in these replicas' pods is not started again. One that
   * points to no other pod takes the blame from one that does.
   */
  private Ledger ending(Ledger ledger, @Nullable PodFailure root, List<CurrentReplica> ended) {
    Ledger stopped = ledger.withSlots(stopped(ledger, ended));
    Ledger.Ending before = ledger.ending();
    boolean own = root == null || root.origin() == FailureText.Origin.OWN;
    if (before != null && (root == null || before.own() || !own)) {
      return stopped;
    }
    Ledger blaming = root == null ? stopped : stopped.failed(root.toLedger(), stopped.counts());
    return blaming.ending(
        new Ledger.Ending(outcome(root, ended), before == null ? since() : before.since(), own));
  }

  private Map<ReplicaId, Ledger.Slot> stopped(Ledger ledger, List<CurrentReplica> ended) {
    Map<ReplicaId, Ledger.Slot> slots = new LinkedHashMap<>();
    for (CurrentReplica replica : state.replicas()) {
      Ledger.Slot slot = replica.slot();
      Ledger.Slot counted = slot.restarted(slot.restarts() + Math.max(0, more(replica, ledger)));
      slots.put(
          replica.id(),
          slot.end() != null || !ended.contains(replica) ? counted : counted.ended(end(replica)));
    }
    return slots;
  }

  private static Ledger.RecordedEnd end(CurrentReplica replica) {
    return latestEnd(replica)
        .map(
            end ->
                new Ledger.RecordedEnd(
                    false, false, end.sidecar() ? null : end.exitCode(), end.reason()))
        .orElse(NOT_TOLD);
  }

  /**
   * From when on other pods have time to say how they ended: the moments that nodes tell are of
   * other clocks, and of before their status came. The next whole second, as it is stored.
   */
  private Instant since() {
    Instant second = state.now().truncatedTo(ChronoUnit.SECONDS);
    return second.equals(state.now()) ? second : second.plusSeconds(1);
  }

  /** How the container ended, of those that were started again or would be, that ended last. */
  private static Optional<ObservedContainer> latestEnd(CurrentReplica replica) {
    return Objects.requireNonNull(replica.seen()).containers().stream()
        .filter(container -> container.lastEnd() != null)
        .max(LATEST_END)
        .map(InPlaceRestarts::end);
  }

  private Ledger.Outcome outcome(@Nullable PodFailure failure, List<CurrentReplica> ended) {
    CurrentReplica first = ended.get(0);
    String what =
        failure != null
            ? failure.describe()
            : "a container of pod "
                + first.name()
                + (startsAgain(first)
                    ? " ended and would be started again"
                    : " ended and was started again");
    return new Ledger.Outcome(
        false,
        Conditions.Reasons.BACKOFF_LIMIT_EXCEEDED,
        what + "; the backoffLimit of " + limit + " restarts is used up");
  }
}
