package dev.tensorstack.training.core.plan;

import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.model.JobSpec;
import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.model.RestartPolicy;
import dev.tensorstack.training.core.observe.FailureText;
import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.core.observe.PodNotes;
import dev.tensorstack.training.core.policy.PodFailure;
import dev.tensorstack.training.core.policy.ReplicaLayout;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What decisions about failures look at: the spec and the present pods, at one moment. */
final class CurrentState {

  private final JobSpec spec;
  private final ReplicaLayout layout;
  private final List<CurrentReplica> replicas;
  private final Map<ReplicaId, CurrentReplica> byId;
  private final PodNotes notes;
  private final PlanSettings settings;
  private final Instant now;

  /**
   * The state of one moment.
   *
   * @param replicas all replicas with their present pods, none of which the operator has asked to
   *     go
   */
  CurrentState(
      JobSpec spec,
      ReplicaLayout layout,
      List<CurrentReplica> replicas,
      PodNotes notes,
      PlanSettings settings,
      Instant now) {
    this.spec = spec;
    this.layout = layout;
    this.replicas = replicas;
    this.byId =
        replicas.stream().collect(Collectors.toMap(CurrentReplica::id, Function.identity()));
    this.notes = notes;
    this.settings = settings;
    this.now = now;
  }

  JobSpec spec() {
    return spec;
  }

  List<CurrentReplica> replicas() {
    return replicas;
  }

  PlanSettings settings() {
    return settings;
  }

  /** How long the other pods may take to end by themselves after one has failed. */
  Duration failureGrace() {
    return settings.failureGrace(spec.torchrun() != null);
  }

  Instant now() {
    return now;
  }

  boolean isMaster(ReplicaId replica) {
    return replica.equals(layout.master());
  }

  RestartPolicy restartPolicy(ReplicaId replica) {
    return spec.type(replica.type()).restartPolicy();
  }

  /** What the log of a pod that has failed says; null when it was not read. */
  @Nullable FailureText failureText(ObservedPod pod) {
    return notes.failureText().get(pod.uid());
  }

  /** Whether the log of a pod that has failed is being read. */
  boolean isBeingRead(ObservedPod pod) {
    return notes.beingRead().contains(pod.uid());
  }

  /** The pod that failed, as it was seen last; null when nothing tells of it any more. */
  @Nullable ObservedPod podOf(PodFailure failure) {
    CurrentReplica replica = byId.get(failure.replica());
    return replica == null ? null : replica.seen();
  }

  /** Whether a pod that is gone was removed before it had run, as far as anybody has seen it. */
  boolean neverStarted(String pod) {
    return notes.neverStarted().contains(pod);
  }

  /** Whether the ledger says of a failure that the job goes on without the replica for good. */
  boolean isTolerated(PodFailure failure) {
    CurrentReplica replica = byId.get(failure.replica());
    return replica != null && replica.slot().end() != null && replica.slot().end().tolerated();
  }

  /** Whether the pod of an earlier failure was replaced alone: its replica has another pod. */
  boolean isReplaced(Ledger.Failure failure) {
    return replicas.stream()
        .anyMatch(
            replica ->
                replica.id().toString().equals(failure.replica())
                    && (!replica.name().equals(failure.pod())
                        || (spec.traits().reusesPodNames() && isAfter(replica, failure))));
  }

  /** Whether a replica's pod, which may have the name of the one that failed, came after it. */
  private static boolean isAfter(CurrentReplica replica, Ledger.Failure failure) {
    ObservedPod pod = replica.pod();
    return pod == null
        ? replica.slot().earlierPods() > 0 && replica.slot().uid() == null
        : failure.time() != null && pod.createdAt().isAfter(failure.time());
  }

  /** Whether the moment of a failure is known: a container of the pod says it. */
  boolean isDated(PodFailure failure) {
    ObservedPod pod = podOf(failure);
    return pod != null
        && pod.containers().stream().anyMatch(one -> one.failed() && one.finishedAt() != null);
  }

  /** Its creation was under way when the attempt ended; it is replaced, not judged. */
  static boolean isOfEarlierAttempt(CurrentReplica replica, Ledger ledger) {
    return replica.pod() != null && replica.pod().attempt() < ledger.counts().attempt();
  }
}
