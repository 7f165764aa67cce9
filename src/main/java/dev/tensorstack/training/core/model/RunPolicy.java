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
 */
public record RunPolicy(
    int backoffLimit,
    @Nullable Long backoffWindowSeconds,
    RestartScope restartScope,
    Set<Integer> retryableExitCodes,
    CleanUpPolicy cleanUp,
    @Nullable Long activeDeadlineSeconds,
    @Nullable Integer ttlSecondsAfterFinished) {}
