package dev.tensorstack.training.engine;

import java.time.Duration;

/** How long to wait after a refused write: 1, 2, 4, … up to 60 seconds. */
final class RetryDelay {

  private static final Duration FIRST = Duration.ofSeconds(1);
  private static final Duration LONGEST = Duration.ofMinutes(1);
  private static final int MOST_DOUBLINGS = 6;

  private RetryDelay() {}

  /**
   * The delay after a refusal.
   *
   * @param before how many refusals came right before it
   */
  static Duration after(int before) {
    Duration delay = FIRST.multipliedBy(1L << Math.min(before, MOST_DOUBLINGS));
    return delay.compareTo(LONGEST) > 0 ? LONGEST : delay;
  }
}
