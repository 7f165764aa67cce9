package dev.tensorstack.training.core.observe;

import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.model.RunModeKind;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
 * @param phase the pod's phase; already the last one when all containers have ended for good
 * @param deleting whether its deletion was asked for, by this operator or by somebody else
 * @param deletionRequestedAt when its deletion was asked for, as far as the API server still says;
 *     at the latest the first end of a container, once the kubelet has taken the pod away; null
 *     when it was not asked for, or when the watch has not yet said so
 * @param node the node it is bound to, or null
 * @param lostSince since when its node does not report; null while the node is well
 * @param createdAt when it was created
 * @param reason {@code status.reason}, such as Evicted, or null
 * @param message {@code status.message}, or null
 * @param unschedulable why the scheduler cannot place it, or null when it can or did not say
 * @param gated whether scheduling gates hold it back
 * @param disruption the reason and message of a true DisruptionTarget condition, or null
 * @param disruptedAt since when that condition is true; null when it does not say, or is not
 * @param containers init containers, then containers, in their order; empty before the kubelet saw
 *     the pod
 * @param readySince since when its readiness probes are content; null when they are not
 * @param runningSince since when its first container runs; null when none does
 * @param queueEntry the uid of the entry in a queue whose share it uses; null for none
 * @param nodeSelector labels that its node has to have; empty for none
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
    @Nullable Instant deletionRequestedAt,
    @Nullable String node,
    @Nullable Instant lostSince,
    Instant createdAt,
    @Nullable String reason,
    @Nullable String message,
    @Nullable String unschedulable,
    boolean gated,
    @Nullable String disruption,
    @Nullable Instant disruptedAt,
    List<ObservedContainer> containers,
    @Nullable Instant readySince,
    @Nullable Instant runningSince,
    @Nullable String queueEntry,
    Map<String, String> nodeSelector) {

  /** Copies the map. */
  public ObservedPod {
    nodeSelector = Map.copyOf(nodeSelector);
  }

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
   * How often the kubelet has started containers of the pod again, init containers included.
   *
   * @return 0 in a pod whose restart policy is Never, but for its sidecars
   */
  public int restarts() {
    return containers.stream().mapToInt(ObservedContainer::restarts).sum();
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
   * Whether the pod came to its end by itself: its containers were done before anybody asked for
   * its deletion. What a container does after that is not its own doing. Times are whole seconds:
   * an end in the second of the deletion is taken for its consequence, since training that was told
   * to stop must not pass for training that succeeded. A sidecar among the init containers ends
   * when the others are done; only in a pod in which no other ran do init containers count.
   *
   * @return true for an ended pod that is not being deleted, or only afterwards
   */
  public boolean endedByItself() {
    if (!ended() || !deleting) {
      return ended();
    }
    if (deletionRequestedAt == null) {
      // Seen before the deletion was: kubelets stop nothing without it.
      return true;
    }
    boolean ran =
        containers.stream()
            .anyMatch(one -> !one.init() && one.state() == ObservedContainer.State.TERMINATED);
    boolean anyEnd = false;
    for (ObservedContainer container : containers) {
      if (ran && container.init()) {
        continue;
      }
      if (container.state() != ObservedContainer.State.TERMINATED) {
        continue;
      }
      if (container.finishedAt() == null || !container.finishedAt().isBefore(deletionRequestedAt)) {
        return false;
      }
      anyEnd = true;
    }
    return anyEnd;
  }

  /**
   * Whether nothing can be expected of the pod any more, though its end was never reported: its
   * node has been lost for longer than the grace.
   *
   * @param grace how long a lost node may take to come back
   * @param now the present time
   * @return true when the pod is given up
   */
  public boolean givenUp(Duration grace, Instant now) {
    Instant moment = givenUpAt(grace);
    return moment != null && !now.isBefore(moment);
  }

  /**
   * When the pod is given up unless its node comes back: the grace counts from the loss of the
   * node, and for a pod that was bound to a lost node from its creation.
   *
   * @param grace how long a lost node may take to come back
   * @return the moment; null when the pod has ended or its node is well
   */
  public @Nullable Instant givenUpAt(Duration grace) {
    return ended() || lostSince == null ? null : lostFrom().plus(grace);
  }

  /**
   * Whether the pod has ended and is to go, but the kubelet that would let it go does not report.
   *
   * @return true when nothing but a deletion without a grace period takes it away
   */
  public boolean waitsForLostKubelet() {
    return ended() && deleting && lostSince != null;
  }

  /**
   * Since when the pod is without its node.
   *
   * @return the later of the node's loss and the pod's creation
   * @throws NullPointerException when its node is well
   */
  public Instant lostFrom() {
    Instant since = Objects.requireNonNull(lostSince);
    return since.isAfter(createdAt) ? since : createdAt;
  }

  /**
   * The same pod, of which an earlier version has shown that it had ended before its deletion was
   * asked for.
   *
   * @return this pod, ended by itself
   */
  public ObservedPod endedBeforeDeletion() {
    return with(deleting, null, lostSince);
  }

  /**
   * The same pod after its deletion was asked for, when the watch has not yet said so.
   *
   * @return this pod, being deleted
   */
  public ObservedPod beingDeleted() {
    return with(true, deletionRequestedAt, lostSince);
  }

  /**
   * The same pod on a node that is lost.
   *
   * @param since since when its node does not report, or null when it does
   * @return this pod, lost or not
   */
  public ObservedPod lost(@Nullable Instant since) {
    if (Objects.equals(since, lostSince)) {
      return this;
    }
    return with(deleting, deletionRequestedAt, since);
  }

  private ObservedPod with(
      boolean isDeleting, @Nullable Instant requestedAt, @Nullable Instant lost) {
    return new ObservedPod(
        name,
        uid,
        replica,
        earlierPods,
        attempt,
        mode,
        phase,
        isDeleting,
        requestedAt,
        node,
        lost,
        createdAt,
        reason,
        message,
        unschedulable,
        gated,
        disruption,
        disruptedAt,
        containers,
        readySince,
        runningSince,
        queueEntry,
        nodeSelector);
  }
}
