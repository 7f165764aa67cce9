package dev.tensorstack.training.engine;

import java.time.Duration;

/** Whether the cache was seen to have all pods of one job that there are. */
final class PodProof {

  private static final Duration FIRST_WAIT = Duration.ofSeconds(1);
  private static final int MOST_DOUBLINGS = 5;

  private boolean proven;
  private int failures;

  /** Whether the cache has all pods of the job, now and from now on. */
  synchronized boolean isThere() {
    return proven;
  }

  /** The cache has all pods of the job. */
  synchronized void found() {
    proven = true;
  }

  /**
   * The cache lacks pods.
   *
   * @return how long to wait before the next look: 1, 2, 4, … up to 32 seconds
   */
  synchronized Duration failed() {
    return FIRST_WAIT.multipliedBy(1L << Math.min(failures++, MOST_DOUBLINGS));
  }
}
