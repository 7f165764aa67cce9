package dev.tensorstack.training.engine;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * When gangs of a kind were woken last. All jobs that wait ask at the same moment, and looking
 * through all PodGroups for each of them is too much: one look holds for a short time, and what
 * this process has woken itself counts at once.
 */
final class NewestWake {

  private static final Duration VALID = Duration.ofMillis(250);

  private final Clock clock;
  private @Nullable Instant newest;
  private @Nullable Instant looked;

  /** Nothing is known yet. */
  NewestWake(Clock clock) {
    this.clock = clock;
  }

  /**
   * When gangs were woken last.
   *
   * @param wakes the moments that all PodGroups tell, looked at when it is time
   * @return the newest of them; null when there is none
   */
  synchronized @Nullable Instant newest(Supplier<Stream<Instant>> wakes) {
    Instant now = clock.instant();
    if (looked == null || looked.isAfter(now) || !now.isBefore(looked.plus(VALID))) {
      looked = now;
      newest = wakes.get().max(Comparator.naturalOrder()).orElse(null);
    }
    return newest;
  }

  /**
   * A PodGroup was written.
   *
   * @param moment when it was woken last
   */
  synchronized void written(Instant moment) {
    if (newest == null || moment.isAfter(newest)) {
      newest = moment;
    }
  }
}
