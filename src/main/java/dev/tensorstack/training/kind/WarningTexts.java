package dev.tensorstack.training.kind;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Warnings as the API server passes them on. It cuts warnings off at 256 characters each, and then
 * drops the rest without a word, when an answer has more than 4096 in all: those of both webhooks
 * and its own together. It drops those with control characters, too. So they are kept few, short
 * and plain.
 */
public final class WarningTexts {

  private static final int MOST_WARNINGS = 30;
  private static final int LONGEST = 250;
  private static final int LONGEST_WORD = 40;
  private static final int ROOM_FOR_THE_LAST = 100;

  /** Characters that the warnings of {@code /mutate} have together, at most. */
  public static final int ROOM_OF_MUTATE = 2600;

  /** Characters that the warnings of {@code /validate} have together, at most. */
  public static final int ROOM_OF_VALIDATE = 1300;

  private WarningTexts() {}

  /**
   * Warnings as an answer of the API server can hold them.
   *
   * @param warnings any texts
   * @param room characters that all have together
   * @return each once, without control characters, at most 250 characters long (what is longer ends
   *     after a word), at most 30; the last one says how many were left out
   */
  public static List<String> fitting(List<String> warnings, int room) {
    List<String> texts =
        warnings.stream()
            .map(WarningTexts::oneLine)
            .distinct()
            .map(WarningTexts::shortened)
            .toList();
    if (texts.size() <= MOST_WARNINGS && length(texts) <= room) {
      return texts;
    }
    int kept = 0;
    int characters = 0;
    while (kept < MOST_WARNINGS - 1
        && kept < texts.size()
        && characters + length(texts.get(kept)) <= room - ROOM_FOR_THE_LAST) {
      characters += length(texts.get(kept));
      kept++;
    }
    List<String> few = new ArrayList<>(texts.subList(0, kept));
    few.add(
        "warnings left out: %d; mend these and apply the job again to see them"
            .formatted(texts.size() - kept));
    return few;
  }

  /**
   * Warnings of which those that say the same of several fields have become one.
   *
   * @param warnings texts of the form {@code field: what}
   * @return {@code field and N more: what}, in the order of the first fields
   */
  public static List<String> merged(List<String> warnings) {
    Map<String, Set<String>> fields = new LinkedHashMap<>();
    for (String warning : warnings) {
      int colon = Math.max(0, warning.indexOf(": "));
      fields
          .computeIfAbsent(warning.substring(colon), text -> new LinkedHashSet<>())
          .add(warning.substring(0, colon));
    }
    return fields.entrySet().stream()
        .map(
            one ->
                one.getValue().iterator().next()
                    + (one.getValue().size() == 1
                        ? ""
                        : " and " + (one.getValue().size() - 1) + " more")
                    + one.getKey())
        .toList();
  }

  private static int length(List<String> texts) {
    return texts.stream().mapToInt(WarningTexts::length).sum();
  }

  private static int length(String text) {
    return text.codePointCount(0, text.length());
  }

  private static String oneLine(String text) {
    StringBuilder line = new StringBuilder(text.length());
    text.codePoints()
        .map(character -> printable(character) ? character : ' ')
        .forEach(line::appendCodePoint);
    return line.toString();
  }

  /** Neither a control character nor one half of a pair of two. */
  private static boolean printable(int character) {
    return !Character.isISOControl(character)
        && Character.getType(character) != Character.SURROGATE;
  }

  private static String shortened(String text) {
    if (length(text) <= LONGEST) {
      return text;
    }
    String cut = text.substring(0, text.offsetByCodePoints(0, LONGEST - 1));
    int word = cut.lastIndexOf(' ');
    return (word > cut.length() - LONGEST_WORD ? cut.substring(0, word) : cut) + "…";
  }
}
