package dev.tensorstack.training.kubectl.job;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Spans of time and moments as people read and write them. */
public final class Spans {

  private static final DateTimeFormatter CLOCK =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss 'UTC'").withZone(ZoneOffset.UTC);

  private static final Pattern PART = Pattern.compile("(\\d+)(ms|s|m|h|d)");

  private Spans() {}

  /**
   * A span in words, with the two largest units.
   *
   * @param span the span; a negative one reads as none
   * @return for example {@code 45 s}, {@code 12 min}, {@code 3 h 5 min}, {@code 2 d 4 h}
   */
  public static String inWords(Duration span) {
    long seconds = Math.max(0, span.toSeconds());
    if (seconds < 60) {
      return seconds + " s";
    }
    if (seconds < 600) {
      return parts(seconds / 60, "min", seconds % 60, "s");
    }
    if (seconds < 3600) {
      return seconds / 60 + " min";
    }
    if (seconds < 86_400) {
      return parts(seconds / 3600, "h", seconds % 3600 / 60, "min");
    }
    return parts(seconds / 86_400, "d", seconds % 86_400 / 3600, "h");
  }

  private static String parts(long large, String unit, long small, String smallUnit) {
    return large + " " + unit + (small == 0 ? "" : " " + small + " " + smallUnit);
  }

  /**
   * A span as kubectl's columns show it.
   *
   * @param span the span; a negative one reads as none; null when it is not known
   * @return for example {@code 45s}, {@code 12m}, {@code 3h5m}, {@code 2d4h}; {@code -} for null
   */
  public static String inColumn(@Nullable Duration span) {
    return span == null ? "-" : inWords(span).replace(" min", "m").replace(" ", "");
  }

  /**
   * The time since a moment as kubectl's columns show it.
   *
   * @param since the moment; null when it is not known
   * @param now the present time
   * @return for example {@code 12m}; {@code -} for null
   */
  public static String age(@Nullable Instant since, Instant now) {
    return inColumn(since == null ? null : Duration.between(since, now));
  }

  /**
   * A moment as people read it.
   *
   * @param moment the moment
   * @return for example {@code 2026-11-21 16:23:59 UTC}
   */
  public static String moment(Instant moment) {
    return CLOCK.format(moment);
  }

  /**
   * Reads a span as kubectl's options have it.
   *
   * @param text for example {@code 90s}, {@code 10m}, {@code 1h30m}, {@code 2d}
   * @return the span
   * @throws IllegalArgumentException with a sentence for the user
   */
  public static Duration parse(String text) {
    Matcher parts = PART.matcher(text);
    Duration sum = Duration.ZERO;
    int end = 0;
    while (parts.find() && parts.start() == end) {
      sum = sum.plus(part(Long.parseLong(parts.group(1)), parts.group(2)));
      end = parts.end();
    }
    if (text.isEmpty() || end != text.length()) {
      throw new IllegalArgumentException(
          "\"" + text + "\" is no span of time: write for example 90s, 10m, 1h30m");
    }
    return sum;
  }

  private static Duration part(long number, String unit) {
    return switch (unit) {
      case "ms" -> Duration.ofMillis(number);
      case "s" -> Duration.ofSeconds(number);
      case "m" -> Duration.ofMinutes(number);
      case "h" -> Duration.ofHours(number);
      default -> Duration.ofDays(number);
    };
  }
}
