package dev.tensorstack.training.core.policy;

import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.model.RunPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Which counted restarts still count against {@code backoffLimit}: all of the job's life, or those
 * of the last {@code backoffWindowSeconds} (docs/concepts.md, Success and failure). A training of
 * weeks then survives a failure now and then, and one that fails again and again still ends.
 */
public final class BackoffWindow {

  /** The largest limit that can be counted within a window. */
  public static final int REMEMBERED = Ledger.Counts.REMEMBERED;

  /** So far may the clocks of two operators be apart; what is later somebody has edited. */
  private static final Duration SKEW = Duration.ofDays(1);

  private BackoffWindow() {}

  /**
   * The restarts that count now.
   *
   * @param policy the job's run policy
   * @param counts its restarts
   * @param now the present time
   * @return how many count against the limit; without a window all
   */
  public static int count(RunPolicy policy, Ledger.Counts counts, Instant now) {
    Instant begin = begin(policy, now);
    return begin == null ? counts.backoff() : (int) since(begin, counts, now).count();
  }

  /**
   * When one restart less will count.
   *
   * @param policy the job's run policy
   * @param counts its restarts
   * @param now the present time
   * @return the moment, on a whole second; null without a window, when none counts, and when all
   *     count for ever
   */
  public static @Nullable Instant nextExpiry(RunPolicy policy, Ledger.Counts counts, Instant now) {
    Instant begin = begin(policy, now);
    Long seconds = policy.backoffWindowSeconds();
    return begin == null || seconds == null || begin.equals(Instant.EPOCH)
        ? null
        : since(begin, counts, now)
            .min(Comparator.naturalOrder())
            .map(first -> first.plusSeconds(seconds))
            .orElse(null);
  }

  private static Stream<Instant> since(Instant begin, Ledger.Counts counts, Instant now) {
    Instant end = now.plus(SKEW);
    return counts.counted().stream()
        .filter(moment -> begin.isBefore(moment) && !moment.isAfter(end));
  }

  /**
   * The window in words, behind the limit of restarts.
   *
   * @param policy the job's run policy
   * @return a few words with a space before them; empty without a window
   */
  public static String describe(RunPolicy policy) {
    return policy.backoffWindowSeconds() == null
        ? ""
        : " within " + policy.backoffWindowSeconds() + " s";
  }

  /** A moment is out of the window once it is so long ago; null without a window. */
  private static @Nullable Instant begin(RunPolicy policy, Instant now) {
    Long seconds = policy.backoffWindowSeconds();
    if (seconds == null) {
      return null;
    }
    // A window longer than time itself holds everything.
    return seconds > now.getEpochSecond() ? Instant.EPOCH : now.minusSeconds(seconds);
  }
}
