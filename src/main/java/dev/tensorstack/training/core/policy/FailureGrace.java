package dev.tensorstack.training.core.policy;

import dev.tensorstack.training.core.model.FailureCause;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How long a decision on a failure waits for the other pods to end by themselves (docs/concepts.md,
 * Success and failure). When a process fails, those of the other pods fail because of it within
 * seconds, some of them are seen first, and a pod that is deleted before it has ended takes its log
 * with it.
 */
public final class FailureGrace {

  private FailureGrace() {}

  /**
   * Until when the decision waits.
   *
   * @param failedAt when the failure happened that would end the job or start all pods anew; null
   *     when nobody has said so: such a failure does not wait, since its grace would never be over
   * @param cause the cause of the failure that is blamed: after a disruption nobody needs to look
   *     for another one
   * @param anyRuns whether a pod still runs that may end by itself
   * @param grace the time that the other pods get, from the failure
   * @param now the present time
   * @return the moment, or null when the decision is due
   */
  public static @Nullable Instant until(
      @Nullable Instant failedAt,
      FailureCause cause,
      boolean anyRuns,
      Duration grace,
      Instant now) {
    if (!anyRuns
        || cause == FailureCause.Disruption
        || failedAt == null
        || failedAt.isAfter(now.plus(grace))) {
      return null;
    }
    Instant end = failedAt.plus(grace);
    return now.isBefore(end) ? end : null;
  }
}
