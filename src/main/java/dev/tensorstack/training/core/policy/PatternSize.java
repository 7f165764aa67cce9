package dev.tensorstack.training.core.policy;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * How long an expression of RE2 is with what it repeats a number of times written out, as RE2
 * compiles it: {@code (a{9}){9}} is 81 characters long, and {@code a{9}b{9}} 18. What is not an
 * expression has a size as well.
 */
final class PatternSize {

  /** A group that is open. */
  private static final class Group {
    private long all;
    private long last;
  }

  private final String text;
  private final long enough;
  private final Deque<Group> open = new ArrayDeque<>();
  private int at;

  private PatternSize(String text, long enough) {
    this.text = text;
    this.enough = enough;
    open.push(new Group());
  }

  /**
   * Measures an expression.
   *
   * @param text any text
   * @param enough a size beyond which it does not matter how large it is
   * @return the size; some number above {@code enough} for all that are larger
   */
  static long of(String text, long enough) {
    return new PatternSize(text, enough).measure();
  }

  private long measure() {
    long all = 0;
    while (at < text.length()) {
      step();
      all = open.stream().mapToLong(group -> group.all).sum();
      if (all > enough) {
        return all;
      }
    }
    return all;
  }

  private void step() {
    char next = text.charAt(at);
    switch (next) {
      case '\\' -> escape();
      case '[' -> {
        skipClass();
        add(1);
      }
      case '(' -> {
        open.push(new Group());
        at++;
      }
      case ')' -> {
        at++;
        if (open.size() > 1) {
          add(open.pop().all + 2);
        }
      }
      case '{' -> repeat();
      default -> {
        add(1);
        at++;
      }
    }
  }

  private void add(long size) {
    Group group = open.element();
    group.all += size;
    group.last = size;
  }

  /** {@code {n}}, {@code {n,}} or {@code {n,m}}; all else is the character itself. */
  private void repeat() {
    int end = text.indexOf('}', at);
    String[] bounds = end < 0 ? new String[0] : text.substring(at + 1, end).split(",", -1);
    if (bounds.length == 0 || bounds.length > 2 || !bounds[0].matches("\\d{1,9}")) {
      add(1);
      at++;
      return;
    }
    String most = bounds.length == 2 && bounds[1].matches("\\d{1,9}") ? bounds[1] : bounds[0];
    long times = Math.max(1, Math.max(Long.parseLong(bounds[0]), Long.parseLong(most)));
    Group group = open.element();
    long once = Math.min(Math.max(1, group.last), enough + 1);
    group.all += once * (times - 1);
    group.last = once * times;
    at = end + 1;
  }

  /** {@code \p{Greek}} and {@code \x{1F}} have braces that repeat nothing. */
  private void escape() {
    if (text.startsWith("\\Q", at)) {
      int end = text.indexOf("\\E", at);
      int past = end < 0 ? text.length() : end;
      add(past - at);
      open.element().last = 1;
      at = end < 0 ? past : past + 2;
      return;
    }
    boolean named = at + 2 < text.length() && "pPx".indexOf(text.charAt(at + 1)) >= 0;
    int end = named && text.charAt(at + 2) == '{' ? text.indexOf('}', at) : -1;
    add(1);
    at = end < 0 ? at + 2 : end + 1;
  }

  private void skipClass() {
    at++;
    if (at < text.length() && text.charAt(at) == '^') {
      at++;
    }
    if (at < text.length() && text.charAt(at) == ']') {
      at++;
    }
    while (at < text.length() && text.charAt(at) != ']') {
      if (text.charAt(at) == '\\') {
        at += 2;
      } else if (text.startsWith("[:", at) && text.indexOf(":]", at + 2) > 0) {
        at = text.indexOf(":]", at + 2) + 2;
      } else {
        at++;
      }
    }
    at++;
  }
}
