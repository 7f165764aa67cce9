package dev.tensorstack.training.engine;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Wakes jobs at moments of the wall clock: deadlines, delays, times to live. A delay that was
 * computed once would miss them when the clock is set; so the clock is asked, five times a second.
 *
 * @param <K> what is woken
 */
final class RequeueTimers<K> implements AutoCloseable {

  private static final Logger LOG = Logger.getLogger(RequeueTimers.class);
  private static final Duration TICK = Duration.ofMillis(200);

  private final Map<K, Instant> moments = new ConcurrentHashMap<>();
  private final Clock clock;
  private final Consumer<K> wake;
  private @Nullable ScheduledExecutorService ticking;

  RequeueTimers(Clock clock, Consumer<K> wake) {
    this.clock = clock;
    this.wake = wake;
  }

  /** Begins to tick, in a thread of its own. */
  void start() {
    ticking = Executors.newSingleThreadScheduledExecutor(new DaemonThreads("wake-ups"));
    ticking.scheduleWithFixedDelay(
        this::tick, TICK.toMillis(), TICK.toMillis(), TimeUnit.MILLISECONDS);
  }

  /**
   * Sets the next wake-up of a job; an earlier one is forgotten.
   *
   * @param moment when, or null for never
   */
  void set(K key, @Nullable Instant moment) {
    if (moment == null) {
      moments.remove(key);
    } else {
      moments.put(key, moment);
    }
  }

  /** Wakes all whose moment has come. */
  void tick() {
    Instant now = clock.instant();
    moments.forEach(
        (key, moment) -> {
          if (!now.isBefore(moment) && moments.remove(key, moment)) {
            try {
              wake.accept(key);
            } catch (RuntimeException problem) {
              moments.putIfAbsent(key, moment);
              LOG.warnf(problem, "%s could not be woken, it is tried again", key);
            }
          }
        });
  }

  @Override
  public void close() {
    if (ticking != null) {
      ticking.shutdownNow();
    }
  }
}
