package dev.tensorstack.training.policy;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How long the agents of an elastic job are left alone after nodes have left or joined their ring.
 * One that goes while the others form the next ring ends them all (docs/design/elastic-torch.md).
 */
public final class ShrinkPause {

  /** In which agents have noticed that nodes have come or gone, and formed another ring. */
  private static final Duration LENGTH = Duration.ofSeconds(30);

  /** A moment that lies further ahead was never decided on: the clock was put back. */
  private static final Duration CLOCK_CORRECTION = Duration.ofMinutes(1);

  private ShrinkPause() {}

  /**
   * When nodes may be taken away again.
   *
   * @param changed when nodes last came or went, or null
   * @param now the present time
   * @return the moment, or null when they may be now
   */
  public static @Nullable Instant until(@Nullable Instant changed, Instant now) {
    if (changed == null || changed.isAfter(now.plus(CLOCK_CORRECTION))) {
      return null;
    }
    Instant end = changed.plus(LENGTH);
    return now.isBefore(end) ? end : null;
  }
}
