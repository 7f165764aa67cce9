package dev.tensorstack.training.policy;

import dev.tensorstack.training.api.v1beta1.RestartPolicy;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a failed pod means for its job: the table of restart policies (docs/concepts.md, Success and
 * failure).
 */
public final class FailurePolicy {

  private static final List<Integer> RETRYABLE_BY_DEFAULT = List.of(130, 137, 138, 143);

  private FailurePolicy() {}

  /** What to do about a failure. */
  public enum Decision {
    /** Run the replica again. */
    RESTART,
    /** The job cannot go on. */
    TERMINAL
  }

  /**
   * Decides on one failure, the budget aside.
   *
   * @param restartPolicy the word in the replica's {@code restartPolicy}; null or unknown means
   *     Never
   * @param retryableExitCodes the job's list, or null for 130, 137, 138, 143
   * @param failure the failure
   * @return what to do
   */
  public static Decision decide(
      @Nullable String restartPolicy,
      @Nullable List<Integer> retryableExitCodes,
      PodFailure failure) {
    boolean restart;
    if (RestartPolicy.Always.name().equals(restartPolicy)
        || RestartPolicy.OnFailure.name().equals(restartPolicy)) {
      restart = true;
    } else if (RestartPolicy.ExitCode.name().equals(restartPolicy)) {
      List<Integer> codes = retryableExitCodes == null ? RETRYABLE_BY_DEFAULT : retryableExitCodes;
      restart =
          failure.cause() == FailureCause.Disruption
              || (failure.exitCode() != null && codes.contains(failure.exitCode()));
    } else {
      restart = false;
    }
    return restart ? Decision.RESTART : Decision.TERMINAL;
  }
}
