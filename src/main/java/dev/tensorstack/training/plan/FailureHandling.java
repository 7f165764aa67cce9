package dev.tensorstack.training.plan;

import static java.util.Objects.requireNonNullElse;

import dev.tensorstack.training.core.model.FailureCause;
import dev.tensorstack.training.core.model.JobSpec;
import dev.tensorstack.training.core.model.RestartPolicy;
import dev.tensorstack.training.core.model.RestartScope;
import dev.tensorstack.training.core.model.RunPolicy;
import dev.tensorstack.training.naming.Conditions;
import dev.tensorstack.training.observation.Ledger;
import dev.tensorstack.training.observation.ObservedContainer;
import dev.tensorstack.training.observation.ObservedPod;
import dev.tensorstack.training.observation.ReplicaId;
import dev.tensorstack.training.observation.RunModeKind;
import dev.tensorstack.training.policy.ClosedRendezvous;
import dev.tensorstack.training.policy.FailureGrace;
import dev.tensorstack.training.policy.FailurePolicy;
import dev.tensorstack.training.policy.PodFailure;
import dev.tensorstack.training.policy.ReplicaLayout;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Turns failed pods into decisions of the ledger (docs/concepts.md, Success and failure). Each
 * failure is decided on once: the decision gives the replica another pod, or ends the job.
 */
final class FailureHandling {

  /** In the same second, what the cluster did comes before what the processes made of it. */
  private static final Comparator<PodFailure> EARLIEST_FIRST =
      Comparator.comparing(PodFailure::time)
          .thenComparing(failure -> failure.cause() != FailureCause.Disruption);

  /** A failure of longer ago than this is not what made a peer fail. */
  private static final Duration CASCADE = Duration.ofMinutes(2);

  /** Clocks of nodes differ, and times of the API are cut to seconds. */
  private static final Duration SAME_MOMENT = Duration.ofSeconds(5);

  /** So long a node may have been gone before the node controller says that it is lost. */
  private static final Duration UNTIL_LOST = Duration.ofMinutes(1);

  /** As many disruptions as any row of delays needs, and few enough for a status. */
  private static final int REMEMBERED_DISRUPTIONS = 100;

  /**
   * A failure on which nothing is decided yet, because the other pods are about to end.
   *
   * @param failure the one that would be blamed now
   * @param until when it is decided at the latest
   */
  record Waiting(PodFailure failure, Instant until) {

    /** One sentence for people. */
    String describe() {
      return failure.describe()
          + "; the other pods have until "
          + until.truncatedTo(ChronoUnit.SECONDS)
          + " to end by themselves";
    }
  }

  private final JobSpec spec;
  private final RunPolicy policy;
  private final ReplicaLayout layout;
  private final List<PresentReplica> replicas;
  private final Map<ReplicaId, PresentReplica> byId;
  private final PlanSettings settings;
  private final Instant now;
  private @Nullable Waiting waiting;

  /**
   * The failures of one moment.
   *
   * @param spec what the job is to do
   * @param replicas all replicas with their present pods, none of which the operator has asked to
   *     go
   */
  FailureHandling(
      JobSpec spec,
      ReplicaLayout layout,
      List<PresentReplica> replicas,
      PlanSettings settings,
      Instant now) {
    this.spec = spec;
    this.policy = spec.runPolicy();
    this.layout = layout;
    this.replicas = replicas;
    this.byId =
        replicas.stream().collect(Collectors.toMap(PresentReplica::id, Function.identity()));
    this.settings = settings;
    this.now = now;
  }

  /**
   * Decides on the failures of the present pods. When the root cause starts all pods anew, the
   * others are its cascade.
   *
   * @param ledger the ledger as stored
   * @param mayWait whether the decision may wait for pods that are about to end; it may not when
   *     something else is to be decided after it
   * @return the same ledger when there is nothing to decide, or not yet, else one with restarts or
   *     an end in it
   */
  Ledger decide(Ledger ledger, boolean mayWait) {
    if (ledger.mode() == RunModeKind.DEBUG) {
      return replaceDebugPods(ledger);
    }
    List<PodFailure> failures =
        replicas.stream()
            .filter(replica -> !isOfEarlierAttempt(replica, ledger))
            .filter(replica -> !replica.done())
            .map(this::failure)
            .flatMap(Optional::stream)
            .sorted(EARLIEST_FIRST)
            .toList();
    Ledger result = ledger;
    List<PodFailure> terminal = new ArrayList<>();
    Set<ReplicaId> replaced = new HashSet<>();
    for (PodFailure failure : failures) {
      boolean tolerated =
          isTerminal(failure, result.counts()) && enoughRemain(failure, terminal.size() + 1);
      if (tolerated) {
        terminal.add(failure);
      } else if (!isTerminal(failure, result.counts()) && !startsAllAnew(failure)) {
        result = replaceAlone(result, failure);
        replaced.add(failure.replica());
      } else {
        PodFailure root = rootCause(failure, failures, ledger);
        boolean overdue = isAnyOverdue(failures, result.counts(), terminal.size());
        if (mayWait && isToWait(failure, root, failures, overdue)) {
          return ledger;
        }
        return decide(ledger, result, failure, root, failures, terminal.size(), replaced);
      }
    }
    return repeatTheDone(tolerate(result, terminal));
  }

  /**
   * What the last decision waits for.
   *
   * @return null when nothing waits
   */
  @Nullable Waiting waiting() {
    return waiting;
  }

  /**
   * Whether the pod of a failure that asks for a decision is gone already: nobody says any more
   * when its grace began, and it must not begin anew with each failure that follows.
   */
  private boolean isAnyOverdue(List<PodFailure> failures, Ledger.Counts counts, int tolerated) {
    return failures.stream()
        .filter(failure -> podOf(failure) == null)
        .anyMatch(
            failure ->
                isTerminal(failure, counts)
                    ? !enoughRemain(failure, tolerated + 1)
                    : startsAllAnew(failure));
  }

  private boolean isToWait(
      PodFailure failure, PodFailure root, List<PodFailure> failures, boolean overdue) {
    Instant until =
        overdue
            ? null
            : FailureGrace.until(
                spec.torchrun() != null,
                beginOfCascade(failure, failures),
                root.cause(),
                replicas.stream().anyMatch(FailureHandling::mayEndByItself),
                settings.failureGrace(),
                now);
    if (until != null) {
      waiting = new Waiting(root, until);
      return true;
    }
    return mayBeBecauseOfALostNode(failure, root);
  }

  /** The grace of several failures that come one after another begins with the first. */
  private @Nullable Instant beginOfCascade(PodFailure failure, List<PodFailure> failures) {
    if (!isDated(failure)) {
      return null;
    }
    Instant from = failure.time().minus(settings.failureGrace());
    return failures.stream()
        .filter(this::isDated)
        .map(PodFailure::time)
        .filter(time -> !time.isBefore(from))
        .min(Comparator.naturalOrder())
        .orElse(failure.time());
  }

  private boolean isDated(PodFailure failure) {
    ObservedPod pod = podOf(failure);
    return pod != null
        && pod.containers().stream().anyMatch(one -> one.failed() && one.finishedAt() != null);
  }

  private static boolean mayEndByItself(PresentReplica replica) {
    ObservedPod pod = replica.pod();
    return pod != null
        && pod.live()
        && pod.phase() == ObservedPod.Phase.RUNNING
        && pod.lostSince() == null;
  }

  /** The root cause decides if it would by itself, else the failure that it has led to. */
  private Ledger decide(
      Ledger before,
      Ledger ledger,
      PodFailure failure,
      PodFailure root,
      List<PodFailure> failures,
      int tolerated,
      Set<ReplicaId> replaced) {
    boolean afterDisruption = root.equals(failure) && followsADisruption(root, before);
    boolean isCounted = afterDisruption || replaced.contains(root.replica());
    boolean rootIsTerminal = !isCounted && isTerminal(root, ledger.counts());
    boolean rootDecides = rootIsTerminal ? !enoughRemain(root, tolerated + 1) : startsAllAnew(root);
    PodFailure deciding = rootDecides && !isCounted ? root : failure;
    // What only follows from a failure that is restarted is restarted with it.
    boolean follows = afterDisruption || (!root.equals(failure) && !rootIsTerminal);
    if (!follows && isTerminal(deciding, ledger.counts())) {
      return end(before.failed(root.toLedger(), paid(before, failures, replaced)), deciding, root);
    }
    // A root cause that was replaced alone, a moment ago or at an earlier look, is counted already.
    Ledger counted =
        isCounted
            ? ledger.inMode(
                ledger.counts().nextAttempt(), requireNonNullElse(ledger.mode(), RunModeKind.TRAIN))
            : counted(ledger, root, true);
    FailureCause cause = afterDisruption ? FailureCause.Disruption : root.cause();
    return counted.withSlots(
        slotsOfNextAttempt(ledger, replicas, notBefore(counted, cause, root.time())));
  }

  /**
   * Whether a process lost its peer to a disruption that was decided on at an earlier look. The pod
   * of that one is replaced and counted, and nobody else is to blame.
   */
  private boolean followsADisruption(PodFailure failure, Ledger ledger) {
    ObservedPod pod = podOf(failure);
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

  /**
   * The failure that another one is the consequence of: of those that happened at about the same
   * time, the earliest whose process does not say that it lost a peer.
   *
   * @return the failure itself when it is no consequence, or when nothing else is to blame
   */
  private PodFailure rootCause(PodFailure failure, List<PodFailure> failures, Ledger ledger) {
    if (!failure.lostPeer()) {
      return failure;
    }
    for (PodFailure other : failures) {
      boolean survivedLongAgo = !isDated(other) && ledger.reported().contains(other.pod());
      if (!other.lostPeer()
          && !survivedLongAgo
          && other.time().isAfter(failure.time().minus(CASCADE))) {
        return other;
      }
    }
    return failure;
  }

  private Optional<PodFailure> failure(PresentReplica replica) {
    Ledger.RecordedEnd end = replica.slot().end();
    ObservedPod pod = replica.pod();
    if (pod != null && (end == null || pod.endedByItself())) {
      return PodFailure.of(pod, now, settings.nodeLossGrace());
    }
    if (end != null) {
      return end.succeeded()
          ? Optional.empty()
          : Optional.of(PodFailure.recorded(replica.id(), replica.name(), end, now));
    }
    return replica.slot().uid() == null
        ? Optional.empty()
        : Optional.of(PodFailure.vanished(replica.id(), replica.name(), now));
  }

  /** Its creation was under way when the attempt ended; it is replaced, not judged. */
  private static boolean isOfEarlierAttempt(PresentReplica replica, Ledger ledger) {
    return replica.pod() != null && replica.pod().attempt() < ledger.counts().attempt();
  }

  /**
   * Processes fail because a peer's node is lost before anybody can know that it is. All pods start
   * anew in that case, and cannot before the grace of the lost node is over; so the decision waits
   * for it, and the node is the root cause if it does not come back.
   */
  private boolean mayBeBecauseOfALostNode(PodFailure failure, PodFailure root) {
    return startsAllAnew(failure)
        && root.cause() == FailureCause.Application
        && replicas.stream()
            .map(PresentReplica::pod)
            .filter(Objects::nonNull)
            .anyMatch(
                pod ->
                    !pod.ended()
                        && !pod.deleting()
                        && pod.lostSince() != null
                        && !pod.givenUp(settings.nodeLossGrace(), now)
                        && !pod.lostSince().isAfter(root.time().plus(UNTIL_LOST)));
  }

  private boolean startsAllAnew(PodFailure failure) {
    return failure.replica().equals(layout.master())
        || policy.restartScope() == RestartScope.JOB
        || ClosedRendezvous.isLeftBy(spec, failure, podOf(failure));
  }

  private @Nullable ObservedPod podOf(PodFailure failure) {
    PresentReplica replica = byId.get(failure.replica());
    return replica == null ? null : replica.pod();
  }

  private boolean isTerminal(PodFailure failure, Ledger.Counts counts) {
    return !isRestartable(failure) || isOverTheLimit(failure, counts);
  }

  private boolean isRestartable(PodFailure failure) {
    return FailurePolicy.decide(
            restartPolicy(failure.replica()), policy.retryableExitCodes(), failure)
        == FailurePolicy.Decision.RESTART;
  }

  private boolean isOverTheLimit(PodFailure failure, Ledger.Counts counts) {
    return failure.cause() == FailureCause.Application && counts.backoff() >= policy.backoffLimit();
  }

  /** An elastic job goes on without some of its workers. */
  private boolean enoughRemain(PodFailure failure, int terminal) {
    return spec.elastic() != null
        && !failure.replica().equals(layout.master())
        && replicas.size() - terminal >= spec.elastic().minReplicas();
  }

  /**
   * The counts at the end of a job. Failures of the same moment that came first have used up the
   * budget, although nothing is restarted for them any more; what costs nothing is not counted.
   */
  private static Ledger.Counts paid(
      Ledger ledger, List<PodFailure> failures, Set<ReplicaId> replaced) {
    Ledger.Counts counts = ledger.counts();
    for (PodFailure failure : failures) {
      if (replaced.contains(failure.replica()) && failure.cause() == FailureCause.Application) {
        counts = counts.restarted(failure.replica().type(), false, false);
      }
    }
    return counts;
  }

  private Ledger end(Ledger ledger, PodFailure deciding, PodFailure root) {
    Ledger.Outcome outcome =
        isRestartable(deciding)
            ? new Ledger.Outcome(
                false,
                Conditions.Reasons.BACKOFF_LIMIT_EXCEEDED,
                root.describe()
                    + "; the backoffLimit of "
                    + policy.backoffLimit()
                    + " restarts is used up")
            : new Ledger.Outcome(false, Conditions.Reasons.REPLICA_FAILED, root.describe());
    return ledger.failed(root.toLedger(), ledger.counts()).ended(outcome, now);
  }

  private Ledger replaceAlone(Ledger ledger, PodFailure failure) {
    Ledger counted = counted(ledger, failure, false);
    return counted.withSlots(
        replaced(ledger, failure.replica(), notBefore(counted, failure.cause(), failure.time())));
  }

  /** The ledger with a restart counted, and a disruption remembered. */
  private Ledger counted(Ledger ledger, PodFailure failure, boolean newAttempt) {
    boolean disruption = failure.cause() == FailureCause.Disruption;
    Ledger.Counts counts =
        ledger.counts().restarted(failure.replica().type(), disruption, newAttempt);
    Ledger counted = ledger.failed(failure.toLedger(), counts);
    return disruption ? disrupted(counted, failure) : counted;
  }

  private Ledger disrupted(Ledger ledger, PodFailure failure) {
    List<Ledger.RecentDisruption> recent =
        new ArrayList<>(
            ledger.disrupted().stream()
                .filter(one -> settings.disruptionDelay().counts(one.time(), now))
                .toList());
    recent.add(new Ledger.RecentDisruption(failure.replica(), failure.time()));
    int from = Math.max(0, recent.size() - REMEMBERED_DISRUPTIONS);
    return ledger.withDisrupted(List.copyOf(recent.subList(from, recent.size())));
  }

  /**
   * The earliest moment of the creations that a failure asks for.
   *
   * @param ledger the ledger with the failure in it
   * @param cause what the delay is for
   * @param failedAt when the failure happened
   * @return the moment, on a whole second as the status has it; null for at once
   */
  private @Nullable Instant notBefore(Ledger ledger, FailureCause cause, Instant failedAt) {
    Duration delay =
        cause == FailureCause.Disruption
            ? settings.disruptionDelay().before(ledger.disrupted().size())
            : settings.restartDelay().before(ledger.counts().backoff());
    return delay.isZero() ? null : wholeSecond(failedAt.plus(delay));
  }

  private static Instant wholeSecond(Instant moment) {
    Instant floor = moment.truncatedTo(ChronoUnit.SECONDS);
    return floor.equals(moment) ? moment : floor.plusSeconds(1);
  }

  /**
   * The slots after all pods that were created are given up for new ones.
   *
   * @param notBefore the earliest moment of creation, or null for at once
   */
  static Map<ReplicaId, Ledger.Slot> slotsOfNextAttempt(
      Ledger ledger, List<PresentReplica> replicas, @Nullable Instant notBefore) {
    Map<ReplicaId, Ledger.Slot> slots = new LinkedHashMap<>();
    for (PresentReplica replica : replicas) {
      Ledger.Slot slot = slot(ledger, replica);
      boolean free = !replica.used() || slot.earlierPods() != replica.slot().earlierPods();
      slots.put(replica.id(), free ? slot.delayed(notBefore) : slot.replaced(notBefore));
    }
    return slots;
  }

  private Map<ReplicaId, Ledger.Slot> replaced(
      Ledger ledger, ReplicaId failed, @Nullable Instant notBefore) {
    Map<ReplicaId, Ledger.Slot> slots = new LinkedHashMap<>();
    for (PresentReplica replica : replicas) {
      Ledger.Slot slot = slot(ledger, replica);
      slots.put(replica.id(), replica.id().equals(failed) ? slot.replaced(notBefore) : slot);
    }
    return slots;
  }

  /** The slot as decided so far: an earlier failure of this moment may have changed it. */
  private static Ledger.Slot slot(Ledger ledger, PresentReplica replica) {
    Ledger.Slot decided = ledger.slots().get(replica.id());
    return decided != null && decided.earlierPods() != replica.slot().earlierPods()
        ? decided
        : replica.slot();
  }

  /**
   * Records the latest of the failures that an elastic job survives, unless the status reports it
   * already: of a pod that is gone, or that no kubelet took, nobody knows since when, so that it
   * would be the latest at each look.
   */
  private Ledger tolerate(Ledger ledger, List<PodFailure> survived) {
    Ledger.Failure told = ledger.lastFailure();
    Ledger.Failure latest = null;
    for (PodFailure failure : survived) {
      if (!ledger.reported().contains(failure.pod()) && isNews(failure, told)) {
        latest = failure.toLedger();
      }
    }
    Ledger known = ledger.tolerating(survived.stream().map(PodFailure::pod).toList());
    return latest == null ? known : known.failed(latest, ledger.counts());
  }

  private boolean isNews(PodFailure failure, Ledger.@Nullable Failure known) {
    return known == null
        || known.time() == null
        || (!failure.pod().equals(known.pod())
            && (failure.time().equals(now)
                || failure.time().truncatedTo(ChronoUnit.SECONDS).isAfter(known.time())));
  }

  /**
   * {@code Always} starts a replica again that is done; not the master, whose success is the job's.
   */
  private Ledger repeatTheDone(Ledger ledger) {
    Ledger result = ledger;
    for (PresentReplica replica : replicas) {
      if (!replica.done()
          || isOfEarlierAttempt(replica, ledger)
          || replica.id().equals(layout.master())
          || restartPolicy(replica.id()) != RestartPolicy.ALWAYS) {
        continue;
      }
      result =
          result
              .inMode(
                  result.counts().repeated(replica.id().type()),
                  requireNonNullElse(result.mode(), RunModeKind.TRAIN))
              .withSlots(replaced(result, replica.id(), repeatAt(replica)));
    }
    return result;
  }

  /** The delay grows with the pods that the replica has had; null for at once. */
  private @Nullable Instant repeatAt(PresentReplica replica) {
    Duration delay = settings.restartDelay().before(replica.slot().earlierPods() + 1);
    return delay.isZero() ? null : doneAt(replica.pod()).plus(delay);
  }

  private Instant doneAt(@Nullable ObservedPod pod) {
    return pod == null
        ? now
        : pod.containers().stream()
            .map(ObservedContainer::finishedAt)
            .filter(Objects::nonNull)
            .max(Comparator.naturalOrder())
            .orElse(now);
  }

  /**
   * Whatever ends in debug mode costs nothing and comes back: when the cluster or somebody took it
   * away as after any disruption, else after a delay.
   */
  private Ledger replaceDebugPods(Ledger ledger) {
    Ledger result = ledger;
    for (PresentReplica replica : replicas) {
      if (isOfEarlierAttempt(replica, ledger)) {
        continue;
      }
      ObservedPod pod = replica.pod();
      Optional<PodFailure> taken = debugFailure(replica);
      if (taken.isPresent()) {
        result = disrupted(result, taken.get());
        result =
            result.withSlots(
                replaced(
                    result,
                    replica.id(),
                    notBefore(result, FailureCause.Disruption, taken.get().time())));
      } else if (pod != null && pod.endedByItself()) {
        result = result.withSlots(replaced(result, replica.id(), repeatAt(replica)));
      }
    }
    return result;
  }

  private Optional<PodFailure> debugFailure(PresentReplica replica) {
    if (replica.pod() == null) {
      return replica.slot().uid() == null
          ? Optional.empty()
          : Optional.of(PodFailure.vanished(replica.id(), replica.name(), now));
    }
    return PodFailure.of(replica.pod(), now, settings.nodeLossGrace())
        .filter(failure -> failure.cause() == FailureCause.Disruption);
  }

  private RestartPolicy restartPolicy(ReplicaId replica) {
    return spec.type(replica.type()).restartPolicy();
  }
}
