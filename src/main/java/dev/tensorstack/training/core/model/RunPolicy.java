package dev.tensorstack.training.core.model;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Deadlines, restarts and clean-up of a job.
 *
 * @param backoffLimit how many restarts after failures the job may have before it fails
 * @param backoffWindowSeconds only restarts of so many last seconds count against that limit; null
 *     when all of the job's life do
 * @param restartScope what one failure restarts
 * @param retryableExitCodes the exit codes that {@link RestartPolicy#EXIT_CODE} restarts
 * @param cleanUp which pods are deleted once the job has ended
 * @param activeDeadlineSeconds how many seconds the job may take from its start; null for no limit
 * @param ttlSecondsAfterFinished how many seconds after its end the job is deleted; null when it
 *     never is
 * @param progress what the training tells of its progress, and what follows when it does not
 */
public record RunPolicy(
    int backoffLimit,
    @Nullable Long backoffWindowSeconds,
    RestartScope restartScope,
    Set<Integer> retryableExitCodes,
    CleanUpPolicy cleanUp,
    @Nullable Long activeDeadlineSeconds,
    @Nullable Integer ttlSecondsAfterFinished,
    ProgressPolicy progress) {

  /**
   * The policy of a job whose progress nobody asks for.
   *
   * @param backoffLimit see above
   * @param backoffWindowSeconds see above
   * @param restartScope see above
   * @param retryableExitCodes see above
   * @param cleanUp see above
   * @param activeDeadlineSeconds see above
   * @param ttlSecondsAfterFinished see above
   */
  public RunPolicy(
      int backoffLimit,
      @Nullable Long backoffWindowSeconds,
      RestartScope restartScope,
      Set<Integer> retryableExitCodes,
      CleanUpPolicy cleanUp,
      @Nullable Long activeDeadlineSeconds,
      @Nullable Integer ttlSecondsAfterFinished) {
    this(
        backoffLimit,
        backoffWindowSeconds,
        restartScope,
        retryableExitCodes,
        cleanUp,
        activeDeadlineSeconds,
        ttlSecondsAfterFinished,
        ProgressPolicy.NONE);
  }
}
