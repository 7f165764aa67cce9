package dev.tensorstack.training.core.policy;

import java.time.Duration;

/**
 * How long a counted restart waits after its failure: not at all for the first, then a base that
 * doubles up to a limit (docs/concepts.md, Success and failure).
 *
 * @param base the delay of the second counted restart
 * @param max the longest delay
 */
public record RestartDelay(Duration base, Duration max) {

  /**
   * The delay before a restart.
   *
   * @param restart the number of the counted restart, from 1
   * @return the time from the failure to the restart; zero for the first
   */
  public Duration before(int restart) {
    if (restart <= 1) {
      return Duration.ZERO;
    }
    int doublings = Math.min(restart - 2, 30);
    Duration delay = base.multipliedBy(1L << doublings);
    return delay.compareTo(max) > 0 ? max : delay;
  }
}
