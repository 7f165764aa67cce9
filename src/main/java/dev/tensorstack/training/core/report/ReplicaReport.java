package dev.tensorstack.training.core.report;

import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.model.ReplicaPhase;
import dev.tensorstack.training.core.observe.ObservedContainer;
import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.core.plan.CurrentReplica;
import dev.tensorstack.training.core.plan.Plan;
import dev.tensorstack.training.core.policy.PodFailure;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What is said about one replica. A replica that has ended stays reported as it was, whatever
 * becomes of its pod: a clean-up takes pods, not the record.
 *
 * @param id the replica
 * @param pod the name of its present pod, also before the pod exists
 * @param slot the pod's place in the ledger
 * @param phase the phase of the replica
 * @param containers the pod's containers worth telling of; empty when there is no pod
 * @param restartAt the moment before which the pod is not created, or null
 * @param disrupted whether it failed because of a disruption, or was given up with its node
 * @param recorded whether all this is what was said when the pod ended, which says so no more
 */
public record ReplicaReport(
    ReplicaId id,
    String pod,
    Ledger.Slot slot,
    ReplicaPhase phase,
    List<ObservedContainer> containers,
    @Nullable Instant restartAt,
    boolean disrupted,
    boolean recorded) {

  /**
   * The replicas of a plan.
   *
   * @param plan what is done about the job
   * @return one report for each, in the order of ranks
   */
  static List<ReplicaReport> of(Plan plan) {
    boolean ended = plan.stage() == Plan.Stage.ENDED;
    Set<String> failed = plan.ledger().reported();
    return plan.replicas().stream().map(replica -> of(replica, ended, failed)).toList();
  }

  private static ReplicaReport of(CurrentReplica replica, boolean ended, Set<String> failed) {
    ObservedPod pod = replica.seen();
    Ledger.RecordedEnd end = replica.slot().end();
    boolean podSaysIt = pod != null && pod.endedByItself();
    boolean recorded = end != null && (ended || !podSaysIt);
    ReplicaPhase phase = end != null && recorded ? phase(end) : phase(replica, ended);
    return new ReplicaReport(
        replica.id(),
        replica.name(),
        replica.slot(),
        phase,
        pod == null
            ? List.of()
            : pod.containers().stream().filter(ReplicaReport::isWorthTelling).toList(),
        ended ? null : replica.slot().restartAt(),
        isDisrupted(replica, phase, failed),
        recorded);
  }

  private static ReplicaPhase phase(Ledger.RecordedEnd end) {
    return end.succeeded() ? ReplicaPhase.Succeeded : ReplicaPhase.Failed;
  }

  /** Its pod's phase, Creating before the pod has a node, or Deleted. */
  private static ReplicaPhase phase(CurrentReplica replica, boolean ended) {
    ObservedPod pod = replica.seen();
    if (pod == null) {
      boolean toCome = replica.slot().uid() == null;
      // A replacement that waited for its delay when the job ended is never created.
      return toCome && !(ended && replica.missing()) ? ReplicaPhase.Creating : ReplicaPhase.Deleted;
    }
    if (pod.lostSince() != null && !pod.ended()) {
      return ReplicaPhase.Unknown;
    }
    if (pod.deleting() && !pod.endedByItself()) {
      return ReplicaPhase.Deleted;
    }
    return switch (pod.phase()) {
      case PENDING -> pod.node() == null ? ReplicaPhase.Creating : ReplicaPhase.Pending;
      case RUNNING -> ReplicaPhase.Running;
      case SUCCEEDED -> ReplicaPhase.Succeeded;
      case FAILED -> ReplicaPhase.Failed;
      case UNKNOWN -> ReplicaPhase.Unknown;
    };
  }

  /** A pod whose lost node has not said that it ended may be known as failed, too. */
  private static boolean isDisrupted(
      CurrentReplica replica, ReplicaPhase phase, Set<String> failed) {
    if (phase == ReplicaPhase.Unknown) {
      return failed.contains(replica.name());
    }
    Ledger.RecordedEnd end = replica.slot().end();
    return phase == ReplicaPhase.Failed
        && (end != null
            ? end.disruption()
            : replica.pod() != null && PodFailure.isDisrupted(replica.pod()));
  }

  /** An init container that is done tells nothing. */
  private static boolean isWorthTelling(ObservedContainer container) {
    return !container.init()
        || container.state() != ObservedContainer.State.TERMINATED
        || container.failed();
  }

  /**
   * How the replica ended, to be recorded. What is recorded already stays, whatever is done to the
   * pod afterwards.
   *
   * @return null while it has not ended
   */
  public Ledger.@Nullable RecordedEnd end() {
    if (slot.end() != null) {
      return slot.end();
    }
    if (phase == ReplicaPhase.Succeeded) {
      return Ledger.RecordedEnd.SUCCEEDED;
    }
    if (phase != ReplicaPhase.Failed) {
      return null;
    }
    return PodFailure.failed(disrupted, containers);
  }

  /**
   * Whether it was decided newly that the replica gets another pod.
   *
   * @param stored its place in the ledger as stored; null where none is listed
   * @return true also when the other pod is not created yet
   */
  public boolean replaces(Ledger.@Nullable Slot stored) {
    return slot.earlierPods() > (stored == null ? 0 : stored.earlierPods());
  }

  /**
   * Whether it is known of the present pod that it failed, is gone, or was given up.
   *
   * @return true when no later look needs to tell so again
   */
  public boolean isFailureKnown() {
    return phase == ReplicaPhase.Failed || phase == ReplicaPhase.Deleted || disrupted;
  }
}
