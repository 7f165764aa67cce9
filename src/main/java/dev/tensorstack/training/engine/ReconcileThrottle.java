package dev.tensorstack.training.engine;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How often one job is looked at. Each change of a pod is an event, and hundreds of pods change
 * within a second: looking at all of them after each would cost more than all else. So a job rests
 * after a look, the longer the more pods it has, and while creations are under way.
 */
final class ReconcileThrottle {

  private static final Duration LONGEST_PAUSE = Duration.ofMillis(200);

  /** So that what happens to several pods at once is one look; nobody notices the delay. */
  private static final Duration SHORTEST_PAUSE = Duration.ofMillis(50);

  /** So that looks at a job take a small part of a processor, whatever its size. */
  private static final Duration PAUSE_FOR_EACH_POD = Duration.ofMillis(2);

  private final Expectations expectations;
  private @Nullable Instant looked;

  ReconcileThrottle(Expectations expectations) {
    this.expectations = expectations;
  }

  /**
   * How long the next look at the job may wait.
   *
   * @return zero when the job shall be looked at now
   */
  synchronized Duration untilNextLook(Instant now) {
    // A clock that is put back must not hold the job up until it has caught up.
    Instant earliest = looked == null || looked.isAfter(now) ? now : looked.plus(pause());
    if (now.isBefore(earliest)) {
      return Duration.between(now, earliest);
    }
    looked = now;
    return Duration.ZERO;
  }

  private Duration pause() {
    Duration pause = PAUSE_FOR_EACH_POD.multipliedBy(expectations.podCount());
    if (expectations.isCreating() || pause.compareTo(LONGEST_PAUSE) > 0) {
      return LONGEST_PAUSE;
    }
    return pause.compareTo(SHORTEST_PAUSE) < 0 ? SHORTEST_PAUSE : pause;
  }
}
