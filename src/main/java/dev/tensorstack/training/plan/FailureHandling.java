package dev.tensorstack.training.plan;

import dev.tensorstack.training.api.v1beta1.LastFailure;
import dev.tensorstack.training.api.v1beta1.PyTorchTrainingJobSpec;
import dev.tensorstack.training.api.v1beta1.ReplicaSpec;
import dev.tensorstack.training.api.v1beta1.RestartScope;
import dev.tensorstack.training.api.v1beta1.RunPolicy;
import dev.tensorstack.training.naming.Conditions;
import dev.tensorstack.training.observation.Ledger;
import dev.tensorstack.training.observation.ReplicaId;
import dev.tensorstack.training.observation.RunModeKind;
import dev.tensorstack.training.policy.FailureCause;
import dev.tensorstack.training.policy.FailurePolicy;
import dev.tensorstack.training.policy.PodFailure;
import dev.tensorstack.training.policy.ReplicaLayout;
import dev.tensorstack.training.policy.RestartDelay;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Turns failed pods into decisions of the ledger (docs/concepts.md, Success and failure). */
final class FailureHandling {

  private FailureHandling() {}

  /**
   * Decides on the failures of the present pods. The earliest is the root cause: the others are its
   * cascade.
   *
   * @return the same ledger when nothing failed, else one with a restart or an end in it
   */
  static Ledger decide(
      PyTorchTrainingJobSpec spec,
      Ledger ledger,
      ReplicaLayout layout,
      List<PresentReplica> replicas,
      Instant now) {
    List<PodFailure> failures = new ArrayList<>();
    for (PresentReplica replica : replicas) {
      failure(replica, now).ifPresent(failures::add);
    }
    if (failures.isEmpty()) {
      return ledger;
    }
    failures.sort(Comparator.comparing(PodFailure::time));
    RunPolicy policy = Objects.requireNonNull(spec.runPolicy(), "the spec has its defaults");
    boolean wholeJob = RestartScope.Job.name().equals(policy.restartScope());
    Ledger result = ledger;
    for (PodFailure failure : failures) {
      result = decideOne(spec, policy, result, layout, replicas, failure, failures.size(), now);
      if (result.outcome() != null
          || wholeJob
          || result.counts().attempt() != ledger.counts().attempt()) {
        break;
      }
    }
    return result;
  }

  private static Optional<PodFailure> failure(PresentReplica replica, Instant now) {
    if (replica.pod() != null) {
      return replica.pod().mode() == RunModeKind.DEBUG
          ? Optional.empty()
          : PodFailure.of(replica.pod(), now);
    }
    if (replica.slot().uid() == null) {
      return Optional.empty();
    }
    return Optional.of(
        new PodFailure(
            replica.id(),
            replica.name(),
            FailureCause.Disruption,
            null,
            "Deleted",
            "the pod was deleted by somebody else",
            null,
            now));
  }

  private static Ledger decideOne(
      PyTorchTrainingJobSpec spec,
      RunPolicy policy,
      Ledger ledger,
      ReplicaLayout layout,
      List<PresentReplica> replicas,
      PodFailure failure,
      int failures,
      Instant now) {
    FailurePolicy.Decision decision =
        FailurePolicy.decide(
            restartPolicy(spec, failure.replica()), policy.retryableExitCodes(), failure);
    boolean master = failure.replica().equals(layout.master());
    if (decision == FailurePolicy.Decision.TERMINAL) {
      boolean enoughRemain =
          spec.elastic() != null
              && spec.elastic().on()
              && !master
              && replicas.size() - failures >= spec.elastic().minReplicas();
      return enoughRemain
          ? ledger
          : end(ledger, failure, Conditions.Reasons.REPLICA_FAILED, failure.describe(), now);
    }
    boolean disruption = failure.cause() == FailureCause.Disruption;
    int limit = Objects.requireNonNullElse(policy.backoffLimit(), 0);
    if (!disruption && ledger.counts().backoff() >= limit) {
      return end(
          ledger,
          failure,
          Conditions.Reasons.BACKOFF_LIMIT_EXCEEDED,
          failure.describe() + "; the backoffLimit of " + limit + " restarts is used up",
          now);
    }
    boolean newAttempt = master || RestartScope.Job.name().equals(policy.restartScope());
    Map<ReplicaId, Ledger.Slot> slots = new LinkedHashMap<>();
    for (PresentReplica replica : replicas) {
      Ledger.Slot slot = ledger.slots().getOrDefault(replica.id(), replica.slot());
      boolean used = replica.pod() != null || slot.uid() != null;
      boolean replaced = newAttempt ? used : replica.id().equals(failure.replica());
      slots.put(replica.id(), replaced ? new Ledger.Slot(slot.earlierPods() + 1, null) : slot);
    }
    return ledger
        .failed(
            failure.toStatus(),
            ledger.counts().restarted(failure.replica().type(), disruption, newAttempt))
        .withSlots(slots);
  }

  private static Ledger end(
      Ledger ledger, PodFailure failure, String reason, String message, Instant now) {
    return ledger
        .failed(failure.toStatus(), ledger.counts())
        .ended(new Ledger.Outcome(false, reason, message), now);
  }

  private static @Nullable String restartPolicy(PyTorchTrainingJobSpec spec, ReplicaId replica) {
    for (ReplicaSpec type : spec.replicaSpecs()) {
      if (replica.type().equals(type.type())) {
        return type.restartPolicy();
      }
    }
    return null;
  }

  /** When the last counted restart may create its pods; null when it need not wait. */
  static @Nullable Instant restartAt(Ledger ledger, RestartDelay delay) {
    LastFailure last = ledger.lastFailure();
    if (last == null
        || last.time() == null
        || !FailureCause.Application.name().equals(last.cause())) {
      return null;
    }
    return Instant.parse(last.time()).plus(delay.before(ledger.counts().backoff()));
  }
}
