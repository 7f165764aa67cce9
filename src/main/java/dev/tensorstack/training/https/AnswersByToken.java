package dev.tensorstack.training.https;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What somebody said of tokens, for as long as it holds, so that not each request costs a call. The
 * tokens themselves are not kept, and of many the eldest answers go. A failure is no answer. Safe
 * for use by several threads.
 *
 * @param <A> what is said of a token
 */
public final class AnswersByToken<A> {

  private final Predicate<A> good;
  private final Function<A, Duration> valid;
  private final Clock clock;
  private final Map<String, Answer<A>> answers;

  private record Answer<A>(A value, Instant until) {}

  /**
   * Nothing is known yet.
   *
   * @param most how many answers are kept
   * @param good whether an answer accepts its token
   * @param valid how long an answer holds
   * @param clock the time
   */
  public AnswersByToken(int most, Predicate<A> good, Function<A, Duration> valid, Clock clock) {
    this.good = good;
    this.valid = valid;
    this.clock = clock;
    this.answers =
        new LinkedHashMap<>(16, 0.75f, true) {
          private static final long serialVersionUID = 1;

          @Override
          protected boolean removeEldestEntry(Map.Entry<String, Answer<A>> eldest) {
            return size() > most;
          }
        };
  }

  /**
   * Whether the answer for a token is known, or was a good one before it grew old.
   *
   * @param token any text
   * @return true when who sends it need not prove that it is worth a call
   */
  public boolean isKnown(String token) {
    synchronized (answers) {
      Answer<A> answer = answers.get(key(token));
      return answer != null
          && (good.test(answer.value()) || clock.instant().isBefore(answer.until()));
    }
  }

  /**
   * The answer for a token.
   *
   * @param token any text
   * @param ask is asked when no answer holds; what it throws is thrown, and not kept
   * @return the answer that holds now
   */
  public A answer(String token, Function<String, A> ask) {
    String key = key(token);
    A known = known(key);
    if (known != null) {
      return known;
    }
    A said = ask.apply(token);
    synchronized (answers) {
      answers.put(key, new Answer<>(said, clock.instant().plus(valid.apply(said))));
    }
    return said;
  }

  private @Nullable A known(String key) {
    synchronized (answers) {
      Answer<A> answer = answers.get(key);
      return answer != null && clock.instant().isBefore(answer.until()) ? answer.value() : null;
    }
  }

  private static String key(String token) {
    try {
      return HexFormat.of()
          .formatHex(
              MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException everyPlatformHasIt) {
      throw new IllegalStateException(everyPlatformHasIt);
    }
  }
}
