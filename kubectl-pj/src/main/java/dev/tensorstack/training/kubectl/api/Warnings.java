package dev.tensorstack.training.kubectl.api;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Warnings that the API server, or a webhook of its, gives along with an answer. */
final class Warnings {

  private static final String HEADER = "warning";

  /** Code 299, an agent, and a quoted text; a proxy may have joined several. */
  private static final Pattern WARNING =
      Pattern.compile("\\b299\\s+\\S+\\s+\"((?:[^\"\\\\]|\\\\.)*)\"");

  private static final Pattern ESCAPED = Pattern.compile("\\\\(.)");

  private Warnings() {}

  /**
   * Reads warnings.
   *
   * @param headers the headers of an answer
   * @return the texts in their order
   */
  static List<String> of(Map<String, List<String>> headers) {
    List<String> texts = new ArrayList<>();
    headers.forEach(
        (name, values) -> {
          if (name.equalsIgnoreCase(HEADER)) {
            values.forEach(value -> read(value, texts));
          }
        });
    return texts;
  }

  private static void read(String value, List<String> texts) {
    Matcher warning = WARNING.matcher(value);
    while (warning.find()) {
      String text = ESCAPED.matcher(warning.group(1)).replaceAll("$1");
      // Headers come byte by byte, and the texts are UTF-8.
      boolean bytes = text.chars().allMatch(character -> character < 256);
      String whole = bytes ? new String(text.getBytes(ISO_8859_1), UTF_8) : text;
      texts.add(whole.replaceAll("\\p{Cntrl}+", " "));
    }
  }
}
