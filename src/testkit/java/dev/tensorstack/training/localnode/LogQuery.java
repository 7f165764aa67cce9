package dev.tensorstack.training.localnode;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What part of a log is asked for.
 *
 * @param follow whether to wait for more until the container ends
 * @param previous whether the run before the last start is meant
 * @param timestamps whether every line starts with its time
 * @param tailLines only that many of the last lines, null for all
 * @param limitBytes only that many bytes, null for all
 * @param since only lines from this moment on, null for all
 */
record LogQuery(
    boolean follow,
    boolean previous,
    boolean timestamps,
    @Nullable Long tailLines,
    @Nullable Long limitBytes,
    @Nullable Instant since) {

  /**
   * The whole log as it is now.
   *
   * @return a query
   */
  static LogQuery all() {
    return new LogQuery(false, false, false, null, null, null);
  }

  /**
   * Reads the query of a kubelet's {@code containerLogs} request.
   *
   * @param rawQuery the URL's query, null for none
   * @param now the moment that {@code sinceSeconds} counts from
   * @return the query
   * @throws IllegalArgumentException if a value cannot be read
   */
  static LogQuery parse(@Nullable String rawQuery, Instant now) {
    Map<String, String> values = new LinkedHashMap<>();
    for (String pair : rawQuery == null ? new String[0] : rawQuery.split("&")) {
      String[] sides = pair.split("=", 2);
      values.put(decode(sides[0]), sides.length == 2 ? decode(sides[1]) : "");
    }
    Long seconds = number(values.get("sinceSeconds"));
    String time = values.get("sinceTime");
    try {
      return new LogQuery(
          flag(values.get("follow")),
          flag(values.get("previous")),
          flag(values.get("timestamps")),
          number(values.get("tailLines")),
          number(values.get("limitBytes")),
          seconds != null
              ? now.minusSeconds(seconds)
              : time == null || time.isEmpty() ? null : Instant.parse(time));
    } catch (DateTimeParseException e) {
      throw new IllegalArgumentException("sinceTime: " + e.getMessage(), e);
    }
  }

  private static String decode(String text) {
    return URLDecoder.decode(text, StandardCharsets.UTF_8);
  }

  private static boolean flag(@Nullable String value) {
    return value != null && (value.equals("true") || value.equals("1"));
  }

  private static @Nullable Long number(@Nullable String value) {
    if (value == null || value.isEmpty()) {
      return null;
    }
    long number = Long.parseLong(value);
    if (number < 0) {
      throw new IllegalArgumentException("negative: " + value);
    }
    return number;
  }
}
