package dev.tensorstack.training.core.policy;

import java.time.Duration;
import java.time.Instant;

/**
 * How long a replacement waits after a disruption: not at all for the first three within five
 * minutes, then 1 s, 2 s, 4 s, … up to a limit, so that a pod which is deleted or rejected each
 * time it appears is not created in a tight loop (docs/concepts.md, Success and failure).
 *
 * @param max the longest delay
 */
public record DisruptionDelay(Duration max) {

  /** How long a disruption is remembered. */
  public static final Duration WINDOW = Duration.ofMinutes(5);

  private static final int FREE = 3;

  /**
   * The delay before a replacement.
   *
   * @param disruptions how many disruptions there were within the window, this one included
   * @return the time from the disruption to the creation; zero for the first three
   */
  public Duration before(int disruptions) {
    if (disruptions <= FREE) {
      return Duration.ZERO;
    }
    Duration delay = Duration.ofSeconds(1L << Math.min(disruptions - FREE - 1, 30));
    return delay.compareTo(max) > 0 ? max : delay;
  }

  /**
   * Whether a disruption still counts.
   *
   * @param time when it happened
   * @param now the present time
   * @return true within the window; false as well for a moment that lies more than the window
   *     ahead, which nobody has seen: the clock was put back
   */
  public boolean counts(Instant time, Instant now) {
    return time.isAfter(now.minus(WINDOW)) && !time.isAfter(now.plus(WINDOW));
  }
}
