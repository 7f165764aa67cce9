package dev.tensorstack.training.policy;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How long the agents of an elastic job are left alone after nodes were taken from their ring. One
 * that goes while the others form the next ring ends them all (docs/design/elastic-torch.md).
 */
public final class ShrinkPause {

  /** In which agents have noticed that nodes are gone, and formed their ring without them. */
  private static final Duration LENGTH = Duration.ofSeconds(30);

  /** A moment that lies further ahead was never decided on: the clock was put back. */
  private static final Duration CLOCK_CORRECTION = Duration.ofMinutes(1);

  private ShrinkPause() {}

  /**
   * When nodes may be taken away again.
   *
   * @param shrunkAt when nodes were taken away last, or null
   * @param now the present time
   * @return the moment, or null when they may be now
   */
  public static @Nullable Instant until(@Nullable Instant shrunkAt, Instant now) {
    if (shrunkAt == null || shrunkAt.isAfter(now.plus(CLOCK_CORRECTION))) {
      return null;
    }
    Instant end = shrunkAt.plus(LENGTH);
    return now.isBefore(end) ? end : null;
  }
}
