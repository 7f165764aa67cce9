package dev.tensorstack.training.core.policy;

import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.model.CleanUpPolicy;
import dev.tensorstack.training.core.model.JobSpec;
import dev.tensorstack.training.core.naming.Conditions;
import dev.tensorstack.training.core.observe.ObservedPod;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** What becomes of a job's pods once the job has ended. */
public final class CleanUp {

  private CleanUp() {}

  /**
   * Whether what still runs is stopped, whatever the policy: after the deadline nothing runs on;
   * nor does what kubelets would go on to restart once there were too many restarts.
   *
   * @param spec the job's spec
   * @param outcome how the job ended; null before
   * @return true when a limit was reached that would mean nothing if pods ran on
   */
  public static boolean stopsAll(JobSpec spec, Ledger.@Nullable Outcome outcome) {
    String reason = outcome == null ? "" : outcome.reason();
    return reason.equals(Conditions.Reasons.DEADLINE_EXCEEDED)
        || (reason.equals(Conditions.Reasons.BACKOFF_LIMIT_EXCEEDED)
            && spec.traits().restartsInPlace());
  }

  /**
   * Whether a pod shall be deleted, now that the job has ended.
   *
   * @param policy which pods are deleted
   * @param stopsAll whether what still runs is stopped, whatever the policy
   * @param pod a pod of the job
   * @return true when it shall go
   */
  public static boolean deletes(CleanUpPolicy policy, boolean stopsAll, ObservedPod pod) {
    if (pod.deleting()) {
      return false;
    }
    if (policy == CleanUpPolicy.NONE) {
      return stopsAll && !pod.ended();
    }
    return policy == CleanUpPolicy.ALL || !pod.ended();
  }

  /** How long pods without torchrun may take to end by themselves after the master succeeded. */
  static final Duration PLAIN_GRACE = Duration.ofSeconds(5);

  /**
   * From when on pods that have not ended may be deleted after a success. They get a short time to
   * end by themselves: a pod that is deleted while it writes its last lines loses its log.
   *
   * @param completed when the job ended
   * @param torchrun whether torchrun runs in the pods
   * @param agentExitGrace the time that torchrun's agents get
   * @return the earliest moment of deletion
   */
  public static Instant afterSuccess(Instant completed, boolean torchrun, Duration agentExitGrace) {
    return completed.plus(torchrun ? agentExitGrace : PLAIN_GRACE);
  }

  /**
   * From when on pods that have not ended may be deleted after a failure. Most decisions wait that
   * long themselves ({@link FailureGrace}); after the others the pods get the time here.
   *
   * @param completed when the job ended
   * @param failedAt when the failure happened that ended it; null when no failure did
   * @param torchrun whether torchrun runs in the pods: others do not end by themselves
   * @param failureGrace the time that torchrun's agents get, from the failure
   * @return the earliest moment of deletion
   */
  public static Instant afterFailure(
      Instant completed, @Nullable Instant failedAt, boolean torchrun, Duration failureGrace) {
    if (!torchrun || failedAt == null) {
      return completed;
    }
    // The node's clock may be ahead, or that of the operator was put back.
    Instant from = failedAt.isAfter(completed) ? completed : failedAt;
    Instant end = from.plus(failureGrace);
    return end.isAfter(completed) ? end : completed;
  }
}
