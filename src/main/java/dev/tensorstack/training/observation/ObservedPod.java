package dev.tensorstack.training.observation;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A pod of the job, alive or ended.
 *
 * @param name the pod's name
 * @param uid the pod's uid
 * @param replica the replica that it was made for
 * @param earlierPods how many pods the replica had before this one
 * @param attempt the attempt that it was made in
 * @param mode the run mode that it was made for
 * @param phase the pod's phase
 * @param deleting whether its deletion was asked for
 * @param node the node it is bound to, or null
 * @param createdAt when it was created
 * @param reason {@code status.reason}, such as Evicted, or null
 * @param message {@code status.message}, or null
 * @param unschedulable why the scheduler cannot place it, or null when it can or did not say
 * @param gated whether scheduling gates hold it back
 * @param disruption the reason and message of a true DisruptionTarget condition, or null
 * @param containers init containers, then containers, in their order; empty before the kubelet saw
 *     the pod
 */
public record ObservedPod(
    String name,
    String uid,
    ReplicaId replica,
    int earlierPods,
    int attempt,
    RunModeKind mode,
    Phase phase,
    boolean deleting,
    @Nullable String node,
    Instant createdAt,
    @Nullable String reason,
    @Nullable String message,
    @Nullable String unschedulable,
    boolean gated,
    @Nullable String disruption,
    List<ObservedContainer> containers) {

  /** A pod's phase, as core/v1 has it. */
  public enum Phase {
    /** Accepted, not all containers started. */
    PENDING,
    /** At least one container runs. */
    RUNNING,
    /** All containers ended with 0. */
    SUCCEEDED,
    /** All containers ended, at least one badly. */
    FAILED,
    /** Its node does not report. */
    UNKNOWN
  }

  /**
   * Whether the pod has ended.
   *
   * @return true when its phase is Succeeded or Failed
   */
  public boolean ended() {
    return phase == Phase.SUCCEEDED || phase == Phase.FAILED;
  }

  /**
   * Whether the pod may still do work.
   *
   * @return true when it neither has ended nor is being deleted
   */
  public boolean live() {
    return !ended() && !deleting;
  }

  /**
   * The same pod after its deletion was asked for, when the watch has not yet said so.
   *
   * @return this pod, being deleted
   */
  public ObservedPod beingDeleted() {
    return new ObservedPod(
        name,
        uid,
        replica,
        earlierPods,
        attempt,
        mode,
        phase,
        true,
        node,
        createdAt,
        reason,
        message,
        unschedulable,
        gated,
        disruption,
        containers);
  }
}
