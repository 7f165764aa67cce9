package dev.tensorstack.training.plan;

import static java.util.Objects.requireNonNull;
import static java.util.Objects.requireNonNullElse;

import dev.tensorstack.training.api.v1beta1.LastFailure;
import dev.tensorstack.training.api.v1beta1.PyTorchTrainingJobSpec;
import dev.tensorstack.training.api.v1beta1.ReplicaSpec;
import dev.tensorstack.training.api.v1beta1.RestartPolicy;
import dev.tensorstack.training.api.v1beta1.RestartScope;
import dev.tensorstack.training.api.v1beta1.RunPolicy;
import dev.tensorstack.training.naming.Conditions;
import dev.tensorstack.training.observation.Ledger;
import dev.tensorstack.training.observation.ObservedContainer;
import dev.tensorstack.training.observation.ObservedPod;
import dev.tensorstack.training.observation.ReplicaId;
import dev.tensorstack.training.observation.RunModeKind;
import dev.tensorstack.training.policy.ClosedRendezvous;
import dev.tensorstack.training.policy.FailureCause;
import dev.tensorstack.training.policy.FailurePolicy;
import dev.tensorstack.training.policy.PodFailure;
import dev.tensorstack.training.policy.ReplicaLayout;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
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

  private final PyTorchTrainingJobSpec spec;
  private final RunPolicy policy;
  private final ReplicaLayout layout;
  private final List<PresentReplica> replicas;
  private final PlanSettings settings;
  private final Instant now;

  /**
   * The failures of one moment.
   *
   * @param spec the spec with its defaults
   * @param replicas all replicas with their present pods, none of which the operator has asked to
   *     go
   */
  FailureHandling(
      PyTorchTrainingJobSpec spec,
      ReplicaLayout layout,
      List<PresentReplica> replicas,
      PlanSettings settings,
      Instant now) {
    this.spec = spec;
    this.policy = requireNonNull(spec.runPolicy(), "the spec has its defaults");
    this.layout = layout;
    this.replicas = replicas;
    this.settings = settings;
    this.now = now;
  }

  /**
   * Decides on the failures of the present pods. The earliest is the root cause: when it starts all
   * pods anew, the others are its cascade.
   *
   * @return the same ledger when there is nothing to decide, else one with restarts or an end in it
   */
  Ledger decide(Ledger ledger) {
    if (ledger.mode() == RunModeKind.DEBUG) {
      return replaceDebugPods(ledger);
    }
    List<PodFailure> failures =
        replicas.stream()
            .filter(replica -> !isOfEarlierAttempt(replica, ledger))
            .map(this::failure)
            .flatMap(Optional::stream)
            .sorted(EARLIEST_FIRST)
            .toList();
    if (!failures.isEmpty() && mayBeBecauseOfALostNode(failures.get(0))) {
      return ledger;
    }
    Ledger result = ledger;
    List<PodFailure> terminal = new ArrayList<>();
    for (PodFailure failure : failures) {
      if (isTerminal(failure, result.counts())) {
        terminal.add(failure);
        if (!enoughRemain(failure, terminal.size())) {
          return end(result, failure);
        }
      } else {
        result = restart(result, failure);
        if (result.counts().attempt() != ledger.counts().attempt()) {
          return result;
        }
      }
    }
    return repeatTheDone(tolerate(result, terminal));
  }

  private Optional<PodFailure> failure(PresentReplica replica) {
    if (replica.pod() != null) {
      return PodFailure.of(replica.pod(), now, settings.nodeLossGrace());
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
  private boolean mayBeBecauseOfALostNode(PodFailure earliest) {
    return startsAllAnew(earliest)
        && earliest.cause() == FailureCause.Application
        && replicas.stream()
            .map(PresentReplica::pod)
            .filter(Objects::nonNull)
            .anyMatch(
                pod ->
                    !pod.ended()
                        && !pod.deleting()
                        && pod.lostSince() != null
                        && !pod.lostSince().isAfter(earliest.time()));
  }

  private boolean startsAllAnew(PodFailure failure) {
    return failure.replica().equals(layout.master())
        || RestartScope.Job.name().equals(policy.restartScope())
        || ClosedRendezvous.isLeftBy(spec, failure);
  }

  private boolean isTerminal(PodFailure failure, Ledger.Counts counts) {
    return FailurePolicy.decide(
                restartPolicy(failure.replica()), policy.retryableExitCodes(), failure)
            == FailurePolicy.Decision.TERMINAL
        || isOverTheLimit(failure, counts);
  }

  private boolean isOverTheLimit(PodFailure failure, Ledger.Counts counts) {
    return failure.cause() == FailureCause.Application && counts.backoff() >= limit();
  }

  private int limit() {
    return requireNonNullElse(policy.backoffLimit(), 0);
  }

  /** An elastic job goes on without some of its workers. */
  private boolean enoughRemain(PodFailure failure, int terminal) {
    return spec.elastic() != null
        && spec.elastic().on()
        && !failure.replica().equals(layout.master())
        && replicas.size() - terminal >= requireNonNullElse(spec.elastic().minReplicas(), 1);
  }

  private Ledger end(Ledger ledger, PodFailure failure) {
    boolean restartable =
        FailurePolicy.decide(restartPolicy(failure.replica()), policy.retryableExitCodes(), failure)
            == FailurePolicy.Decision.RESTART;
    Ledger.Outcome outcome =
        restartable
            ? new Ledger.Outcome(
                false,
                Conditions.Reasons.BACKOFF_LIMIT_EXCEEDED,
                failure.describe() + "; the backoffLimit of " + limit() + " restarts is used up")
            : new Ledger.Outcome(false, Conditions.Reasons.REPLICA_FAILED, failure.describe());
    return ledger.failed(failure.toStatus(), ledger.counts()).ended(outcome, now);
  }

  private Ledger restart(Ledger ledger, PodFailure failure) {
    boolean disruption = failure.cause() == FailureCause.Disruption;
    boolean newAttempt = startsAllAnew(failure);
    Ledger.Counts counts =
        ledger.counts().restarted(failure.replica().type(), disruption, newAttempt);
    Duration delay =
        settings.restartDelay().before(disruption ? refusals(failure) : counts.backoff());
    Instant notBefore = delay.isZero() ? null : failure.time().plus(delay);
    return ledger
        .failed(failure.toStatus(), counts)
        .withSlots(
            newAttempt
                ? slotsOfNextAttempt(ledger, replicas, notBefore)
                : replaced(ledger, failure.replica(), notBefore));
  }

  /**
   * A disruption does not wait, with one exception: a node that refuses a pod may refuse the next
   * one as quickly, and for ever. Such a replica waits as the row of delays says for it.
   */
  private int refusals(PodFailure failure) {
    for (PresentReplica replica : replicas) {
      ObservedPod pod = replica.pod();
      if (replica.id().equals(failure.replica())
          && pod != null
          && pod.phase() == ObservedPod.Phase.FAILED
          && pod.containers().stream()
              .allMatch(one -> one.state() == ObservedContainer.State.WAITING)) {
        return replica.slot().earlierPods() + 1;
      }
    }
    return 0;
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
    LastFailure known = ledger.lastFailure();
    LastFailure latest = null;
    for (PodFailure failure : survived) {
      if (!ledger.reported().contains(failure.pod()) && isNews(failure, known)) {
        latest = failure.toStatus();
      }
    }
    return latest == null ? ledger : ledger.failed(latest, ledger.counts());
  }

  private boolean isNews(PodFailure failure, @Nullable LastFailure known) {
    return known == null
        || known.time() == null
        || (!failure.pod().equals(known.pod())
            && (failure.time().equals(now)
                || requireNonNull(failure.toStatus().time()).compareTo(known.time()) > 0));
  }

  /**
   * {@code Always} starts a replica again that is done; not the master, whose success is the job's.
   */
  private Ledger repeatTheDone(Ledger ledger) {
    Ledger result = ledger;
    for (PresentReplica replica : replicas) {
      ObservedPod pod = replica.pod();
      if (pod == null
          || pod.phase() != ObservedPod.Phase.SUCCEEDED
          || !pod.endedByItself()
          || isOfEarlierAttempt(replica, ledger)
          || replica.id().equals(layout.master())
          || !RestartPolicy.Always.name().equals(restartPolicy(replica.id()))) {
        continue;
      }
      result =
          result
              .inMode(
                  result.counts().repeated(replica.id().type()),
                  requireNonNullElse(result.mode(), RunModeKind.TRAIN))
              .withSlots(replaced(result, replica.id(), repeatAt(replica, pod)));
    }
    return result;
  }

  /** The delay grows with the pods that the replica has had; null for at once. */
  private @Nullable Instant repeatAt(PresentReplica replica, ObservedPod pod) {
    Duration delay = settings.restartDelay().before(replica.slot().earlierPods() + 1);
    return delay.isZero() ? null : doneAt(pod).plus(delay);
  }

  private Instant doneAt(ObservedPod pod) {
    return pod.containers().stream()
        .map(ObservedContainer::finishedAt)
        .filter(Objects::nonNull)
        .max(Comparator.naturalOrder())
        .orElse(now);
  }

  /**
   * Whatever ends in debug mode costs nothing and comes back: at once when the cluster or somebody
   * took it away, else, and when its node has refused it, after a delay.
   */
  private Ledger replaceDebugPods(Ledger ledger) {
    Ledger result = ledger;
    for (PresentReplica replica : replicas) {
      ObservedPod pod = replica.pod();
      Optional<PodFailure> taken =
          failure(replica).filter(failure -> failure.cause() == FailureCause.Disruption);
      if (isOfEarlierAttempt(replica, ledger)) {
        continue;
      }
      if (taken.isPresent()) {
        Duration delay = settings.restartDelay().before(refusals(taken.get()));
        Instant notBefore = delay.isZero() ? null : taken.get().time().plus(delay);
        result = result.withSlots(replaced(result, replica.id(), notBefore));
      } else if (pod != null && pod.endedByItself()) {
        result = result.withSlots(replaced(result, replica.id(), repeatAt(replica, pod)));
      }
    }
    return result;
  }

  private @Nullable String restartPolicy(ReplicaId replica) {
    for (ReplicaSpec type : spec.replicaSpecs()) {
      if (replica.type().equals(type.type())) {
        return type.restartPolicy();
      }
    }
    return null;
  }
}
