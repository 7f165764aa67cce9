package dev.tensorstack.training.policy;

import dev.tensorstack.training.api.v1beta1.CleanUpPolicy;
import dev.tensorstack.training.observation.ObservedPod;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** What becomes of a job's pods once the job has ended. */
public final class CleanUp {

  private CleanUp() {}

  /**
   * Whether a pod shall be deleted, now that the job has ended.
   *
   * @param policy the word in {@code cleanUpPolicy}; null or unknown means Unfinished
   * @param deadlineExceeded whether the job ended because its time was over: what still runs is
   *     stopped then, whatever the policy
   * @param pod a pod of the job
   * @return true when it shall go
   */
  public static boolean deletes(
      @Nullable String policy, boolean deadlineExceeded, ObservedPod pod) {
    if (pod.deleting()) {
      return false;
    }
    if (CleanUpPolicy.None.name().equals(policy)) {
      return deadlineExceeded && !pod.ended();
    }
    return CleanUpPolicy.All.name().equals(policy) || !pod.ended();
  }

  /**
   * From when on pods may be deleted. After a success the other torchrun agents get a short time to
   * exit by themselves: a pod that is stopped while it says goodbye looks like a failure.
   *
   * @param completed when the job ended
   * @param succeeded whether it ended well
   * @param torchrun whether torchrun runs in the pods
   * @param agentExitGrace the time the agents get
   * @return the earliest moment of deletion
   */
  public static Instant from(
      Instant completed, boolean succeeded, boolean torchrun, Duration agentExitGrace) {
    return succeeded && torchrun ? completed.plus(agentExitGrace) : completed;
  }
}
