package dev.tensorstack.training.core.policy;

import dev.tensorstack.training.core.model.RunPolicy;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** How long a job may take: {@code runPolicy.activeDeadlineSeconds}, counted from its start. */
public final class Deadline {

  private Deadline() {}

  /**
   * The moment at which a job that has not ended is stopped.
   *
   * @param policy the run policy
   * @param startTime when the first pods were created, again at a resume; null before
   * @return the deadline; null when there is none, or when the job has not started
   */
  public static @Nullable Instant of(RunPolicy policy, @Nullable Instant startTime) {
    if (policy.activeDeadlineSeconds() == null || startTime == null) {
      return null;
    }
    // The field holds more seconds than time has.
    long longest = Instant.MAX.getEpochSecond() - startTime.getEpochSecond() - 1;
    return startTime.plusSeconds(Math.min(policy.activeDeadlineSeconds(), longest));
  }
}
