package dev.tensorstack.training.core.policy;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How long the agents of an elastic job are left alone after nodes have left or joined their ring.
 * One that goes while the others form the next ring ends them all (docs/design/elastic-torch.md).
 */
public final class ScaleDownStabilization {

  /** In which agents have noticed that nodes have come or gone, and formed another ring. */
  private static final Duration LENGTH = Duration.ofSeconds(30);

  /** A moment that lies further ahead was never decided on: the clock was put back. */
  private static final Duration CLOCK_CORRECTION = Duration.ofMinutes(1);

  /**
   * The longest that nodes wait to leave. When others come and go all the time, no ring is ever
   * formed for long, and the user's wish has to be carried out all the same.
   */
  private static final Duration LONGEST = Duration.ofMinutes(2);

  private ScaleDownStabilization() {}

  /**
   * When nodes that wait to leave do so at the latest.
   *
   * @param waitingSince since when they wait, or null when none does
   * @return the moment, or null
   */
  public static @Nullable Instant latest(@Nullable Instant waitingSince) {
    return waitingSince == null ? null : waitingSince.plus(LONGEST);
  }

  /**
   * Whether nodes have waited long enough.
   *
   * @param waitingSince since when they wait, or null when none does
   * @param now the present time
   * @return true when they leave whatever the others do
   */
  public static boolean isOver(@Nullable Instant waitingSince, Instant now) {
    Instant latest = latest(waitingSince);
    return latest != null && !now.isBefore(latest);
  }

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
