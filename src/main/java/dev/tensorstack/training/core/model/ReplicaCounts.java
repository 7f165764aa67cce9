package dev.tensorstack.training.core.model;

import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How many replicas of a job are in which phase.
 *
 * @param creating no pod yet, or it has no node yet
 * @param pending has a node, containers not started
 * @param running running
 * @param succeeded ended well
 * @param failed ended badly
 * @param unknown the node does not report
 * @param deleted being deleted, or gone
 */
public record ReplicaCounts(
    int creating, int pending, int running, int succeeded, int failed, int unknown, int deleted) {

  /** No replicas at all. */
  public static final ReplicaCounts NONE = new ReplicaCounts(0, 0, 0, 0, 0, 0, 0);

  /**
   * Counts phases.
   *
   * @param phases one for each replica
   * @return the counts
   */
  public static ReplicaCounts of(Iterable<ReplicaPhase> phases) {
    Map<ReplicaPhase, Integer> counts = new EnumMap<>(ReplicaPhase.class);
    phases.forEach(phase -> counts.merge(phase, 1, Integer::sum));
    return new ReplicaCounts(
        counts.getOrDefault(ReplicaPhase.Creating, 0),
        counts.getOrDefault(ReplicaPhase.Pending, 0),
        counts.getOrDefault(ReplicaPhase.Running, 0),
        counts.getOrDefault(ReplicaPhase.Succeeded, 0),
        counts.getOrDefault(ReplicaPhase.Failed, 0),
        counts.getOrDefault(ReplicaPhase.Unknown, 0),
        counts.getOrDefault(ReplicaPhase.Deleted, 0));
  }

  /**
   * The replicas that run or are done.
   *
   * @return running and succeeded ones together
   */
  public int runningOrDone() {
    return running + succeeded;
  }

  /**
   * The number of replicas in a phase.
   *
   * @param phase the phase
   * @return 0 or more
   */
  public int in(ReplicaPhase phase) {
    return switch (phase) {
      case Creating -> creating;
      case Pending -> pending;
      case Running -> running;
      case Succeeded -> succeeded;
      case Failed -> failed;
      case Unknown -> unknown;
      case Deleted -> deleted;
    };
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof ReplicaCounts that
            && creating == that.creating
            && pending == that.pending
            && running == that.running
            && succeeded == that.succeeded
            && failed == that.failed
            && unknown == that.unknown
            && deleted == that.deleted);
  }
}
