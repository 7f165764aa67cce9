package dev.tensorstack.training.webhook;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * Remembers for a few seconds which pods the API server would have created without a word, so that
 * it is not asked about each of a hundred jobs from one template. What it objected to or warned of,
 * or did not answer, is never in here, so it is asked again: that may have changed. Safe for use by
 * several threads.
 */
final class TakenPods {

  /** How long an answer counts. */
  static final Duration VALID = Duration.ofSeconds(5);

  /** So many different pods are remembered; one more is asked about each time. */
  static final int MOST = 1_000;

  private final LongSupplier clock;
  private final Map<String, Long> since = new ConcurrentHashMap<>();

  /**
   * Remembers nothing yet.
   *
   * @param clock nanoseconds, from any origin
   */
  TakenPods(LongSupplier clock) {
    this.clock = clock;
  }

  /** Whether a pod of this {@link PodLikeness} was taken a moment ago. */
  boolean contains(String likeness) {
    Long then = since.get(likeness);
    return then != null && isValid(then);
  }

  /** Remembers that a pod was taken. */
  void add(String likeness) {
    if (since.size() >= MOST) {
      since.values().removeIf(then -> !isValid(then));
    }
    if (since.size() < MOST) {
      since.put(likeness, clock.getAsLong());
    }
  }

  private boolean isValid(long then) {
    return clock.getAsLong() - then < VALID.toNanos();
  }
}
