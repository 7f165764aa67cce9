package dev.tensorstack.training.core.ledger;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Sets of indexes as short text: {@code 0-511,513}. */
public final class IndexRanges {

  /** More indexes than any job has: what somebody has edited into nonsense takes no memory. */
  private static final int MOST = 100_000;

  private IndexRanges() {}

  /**
   * Writes indexes.
   *
   * @param indexes any indexes, from 0
   * @return ascending ranges, or null for none
   */
  public static @Nullable String format(Collection<Integer> indexes) {
    StringBuilder text = new StringBuilder();
    int first = -1;
    int last = -1;
    for (int index : new TreeSet<>(indexes)) {
      if (first >= 0 && index == last + 1) {
        last = index;
        continue;
      }
      append(text, first, last);
      first = index;
      last = index;
    }
    append(text, first, last);
    return text.isEmpty() ? null : text.toString();
  }

  private static void append(StringBuilder text, int first, int last) {
    if (first < 0) {
      return;
    }
    text.append(text.isEmpty() ? "" : ",").append(first);
    if (last > first) {
      text.append('-').append(last);
    }
  }

  /**
   * Reads indexes.
   *
   * @param text ranges, or null
   * @return the indexes in the order of the text; what is no range is left out
   */
  public static List<Integer> parse(@Nullable String text) {
    List<Integer> indexes = new ArrayList<>();
    for (String range : text == null ? new String[0] : text.split(",", -1)) {
      if (!range.matches("\\d{1,9}(-\\d{1,9})?")) {
        continue;
      }
      String[] ends = range.split("-", -1);
      int last = Integer.parseInt(ends[ends.length - 1]);
      for (int index = Integer.parseInt(ends[0]); index <= last && indexes.size() < MOST; index++) {
        indexes.add(index);
      }
    }
    return indexes;
  }
}
