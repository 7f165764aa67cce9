package dev.tensorstack.training.core.policy;

import dev.tensorstack.training.core.model.RunPolicy;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** How long a job stays after its end: {@code runPolicy.ttlSecondsAfterFinished}. */
public final class TimeToLive {

  private TimeToLive() {}

  /**
   * The moment at which a job that has ended is deleted, with all that belongs to it.
   *
   * @param policy the run policy
   * @param completionTime when the job ended
   * @return the end of its life; null when it stays until somebody deletes it, as it does with a
   *     number of seconds that no rule lets pass
   */
  public static @Nullable Instant end(RunPolicy policy, Instant completionTime) {
    return policy.ttlSecondsAfterFinished() == null || policy.ttlSecondsAfterFinished() < 0
        ? null
        : completionTime.plusSeconds(policy.ttlSecondsAfterFinished());
  }
}
