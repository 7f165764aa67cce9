package dev.tensorstack.training.core.policy;

import dev.tensorstack.training.core.model.FailureCause;
import dev.tensorstack.training.core.model.RestartPolicy;
import java.util.Set;

/**
 * What a failed pod means for its job: the table of restart policies (docs/concepts.md, Success and
 * failure).
 */
public final class FailurePolicy {

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
   * @param restartPolicy the restart policy of the replica's type
   * @param retryableExitCodes the exit codes that {@link RestartPolicy#EXIT_CODE} restarts
   * @param failure the failure
   * @return what to do
   */
  public static Decision decide(
      RestartPolicy restartPolicy, Set<Integer> retryableExitCodes, PodFailure failure) {
    boolean restart =
        switch (restartPolicy) {
          case ALWAYS, ON_FAILURE -> true;
          case NEVER -> false;
          case NEVER_AGAIN -> failure.beforeStart();
          case EXIT_CODE_IF_ANY ->
              failure.cause() == FailureCause.Disruption
                  || failure.exitCode() == null
                  || retryableExitCodes.contains(failure.exitCode());
          case EXIT_CODE ->
              failure.cause() == FailureCause.Disruption
                  || (failure.exitCode() != null
                      && retryableExitCodes.contains(failure.exitCode()));
        };
    return restart ? Decision.RESTART : Decision.TERMINAL;
  }
}
