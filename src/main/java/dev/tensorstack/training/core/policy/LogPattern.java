package dev.tensorstack.training.core.policy;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import dev.tensorstack.training.core.model.TrainingReport;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds the reports of a training in the lines of its log (docs/tasks/hangs.md). RE2 takes time
 * that is linear in the text, whatever the expression.
 */
public final class LogPattern {

  /** Of a line, so many characters are looked at. */
  private static final int LONGEST_LINE = 1_024;

  /** What a pattern may be long, with what it repeats written out. */
  private static final long LARGEST = 2_000;

  /** In characters, as of a report over HTTP. */
  private static final int LONGEST_VALUE = 64;

  private static final int ALL = 100;

  private final String text;
  private final Pattern pattern;

  /**
   * Whether an expression is small enough. RE2 writes out what is repeated a number of times, and
   * repetitions within repetitions multiply: twenty characters can take all memory. To be asked
   * before the expression is compiled.
   *
   * @param text any text
   * @return false when it could take more memory or time than a log is worth
   */
  public static boolean isBounded(String text) {
    return text.length() <= LARGEST && PatternSize.of(text, LARGEST) <= LARGEST;
  }

  /**
   * A pattern.
   *
   * @param text an expression that admission has accepted
   * @throws com.google.re2j.PatternSyntaxException when it is none
   */
  public LogPattern(String text) {
    this.text = text;
    this.pattern = Pattern.compile(text);
  }

  /**
   * The expression.
   *
   * @return as it was given
   */
  public String text() {
    return text;
  }

  /**
   * A line of a log that is a report.
   *
   * @param time when it was written, as the kubelet says
   * @param percent how much is done; null when the line does not say
   * @param metrics {@code step} and {@code loss}, as far as the line says them
   */
  public record Found(
      Instant time, @Nullable Integer percent, List<TrainingReport.Metric> metrics) {}

  /**
   * What was read of a log.
   *
   * @param found the reports, in the order of the lines
   * @param first when the first of them was written; null when there was none
   * @param last when the last of them was written; null when there was none
   */
  public record Reading(List<Found> found, @Nullable Instant first, @Nullable Instant last) {}

  /**
   * Reads a part of a log. What comes after the last line end is the beginning of a line, and is
   * left for the next time.
   *
   * @param log lines, each after the time at which it was written and a space (RFC 3339)
   * @param after only lines that were written later are reports; null for all
   * @return what stands in it
   */
  public Reading read(String log, @Nullable Instant after) {
    List<Found> found = new ArrayList<>();
    Instant first = null;
    Instant last = null;
    for (String line : log.substring(0, log.lastIndexOf('\n') + 1).split("\n", -1)) {
      int space = line.indexOf(' ');
      Instant time = space < 0 ? null : time(line.substring(0, space));
      if (time == null) {
        continue;
      }
      first = first == null ? time : first;
      last = time;
      if (after != null && !time.isAfter(after)) {
        continue;
      }
      Matcher matcher =
          pattern.matcher(
              line.substring(space + 1, Math.min(line.length(), space + 1 + LONGEST_LINE)));
      if (matcher.find()) {
        found.add(report(time, matcher));
      }
    }
    return new Reading(found, first, last);
  }

  private Found report(Instant time, Matcher matcher) {
    List<TrainingReport.Metric> metrics = new ArrayList<>();
    for (String name : List.of("step", "loss")) {
      String value = group(matcher, name);
      if (value != null) {
        metrics.add(new TrainingReport.Metric(name, value));
      }
    }
    return new Found(time, percent(group(matcher, "percent")), metrics);
  }

  private @Nullable String group(Matcher matcher, String name) {
    String value = pattern.namedGroups().containsKey(name) ? matcher.group(name) : null;
    return value == null
        ? null
        : value
            .substring(0, Math.min(value.length(), LONGEST_VALUE))
            .replaceAll("[^\\x20-\\x7e]", "?");
  }

  private static @Nullable Integer percent(@Nullable String value) {
    try {
      double number = value == null ? -1 : Double.parseDouble(value.strip());
      return number >= 0 && number <= ALL ? Integer.valueOf((int) number) : null;
    } catch (NumberFormatException noNumber) {
      return null;
    }
  }

  private static @Nullable Instant time(String word) {
    try {
      return Instant.parse(word).truncatedTo(ChronoUnit.MILLIS);
    } catch (DateTimeParseException noTime) {
      return null;
    }
  }
}
