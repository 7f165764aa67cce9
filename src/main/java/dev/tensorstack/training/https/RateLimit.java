package dev.tensorstack.training.https;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * How often somebody may do something: so often at once, and then again each time an interval has
 * passed. Safe for use by several threads.
 *
 * @param <K> who
 */
public final class RateLimit<K> {

  private static final int KEPT = 20_000;

  private final int atOnce;
  private final long intervalNanos;
  private final LongSupplier nanoTime;

  /** When all that was used is there again. */
  private final Map<K, Long> fullAt =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<K, Long> eldest) {
          return size() > KEPT;
        }
      };

  /**
   * A limit that nobody has used.
   *
   * @param atOnce how often at once, at least 1
   * @param interval how long one takes to be there again
   */
  public RateLimit(int atOnce, Duration interval) {
    this(atOnce, interval, System::nanoTime);
  }

  RateLimit(int atOnce, Duration interval, LongSupplier nanoTime) {
    this.atOnce = atOnce;
    this.intervalNanos = interval.toNanos();
    this.nanoTime = nanoTime;
  }

  /**
   * Takes one.
   *
   * @param who whoever wants it
   * @return false when none is left
   */
  public synchronized boolean take(K who) {
    long now = nanoTime.getAsLong();
    Long full = fullAt.get(who);
    long from = full == null || full - now < 0 ? now : full;
    if (from - now > (atOnce - 1) * intervalNanos) {
      return false;
    }
    fullAt.put(who, from + intervalNanos);
    return true;
  }

  /**
   * Whether one is left; nothing is taken.
   *
   * @param who whoever may want it
   * @return false when {@link #take} would give none
   */
  public synchronized boolean has(K who) {
    Long full = fullAt.get(who);
    return full == null || full - nanoTime.getAsLong() <= (atOnce - 1) * intervalNanos;
  }
}
