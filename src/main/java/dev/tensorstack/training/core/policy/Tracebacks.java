package dev.tensorstack.training.core.policy;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The Python exceptions in a log that several processes may have written to at once. PyTorch writes
 * the rank before each line of an exception that ends a process of a group ({@code [rank1]: }).
 */
final class Tracebacks {

  /** {@code [rank1]: }, and before it what {@code torchrun --tee} writes before each line. */
  private static final Pattern PREFIX = Pattern.compile("^(?:\\[[^\\]\\s]+\\]: ?)+");

  private static final Pattern RANK = Pattern.compile("rank(\\d{1,9})\\]");
  private static final String BEGIN = "Traceback (most recent call last):";

  private static final List<String> CHAINED =
      List.of(
          "The above exception was the direct cause of the following exception:",
          "During handling of the above exception, another exception occurred:");

  /** The last line of a traceback: the exception's type, and its message if it has one. */
  private static final Pattern EXCEPTION = Pattern.compile("[A-Za-z_][\\w.]*(?::.*)?");

  /** Without the traceback before it, which may be cut off, a line is one only by its name. */
  private static final Pattern BY_NAME =
      Pattern.compile("(?:[A-Za-z_]\\w*\\.)*[A-Z]\\w*(?:Error|Exception|Interrupt|Exit)(?::.*)?");

  /** Exceptions of torchrun itself, not of what it starts. */
  private static final String TORCHRUN = "torch.distributed.elastic.";

  private final List<Exception> found = new ArrayList<>();
  private final Map<String, Writer> writers = new HashMap<>();

  private Tracebacks() {}

  /**
   * An exception, with those that led to it.
   *
   * @param first what began it: the last line of its traceback, without the prefix
   * @param last what the process ended with; the same when nothing led to it
   * @param rank the process of a group that it has ended; null when PyTorch does not say so
   * @param at where {@code last} begins in the text
   */
  record Exception(String first, String last, @Nullable Integer rank, int at) {

    /** Whether it is torchrun's own. */
    boolean ofTorchrun() {
      return last.startsWith(TORCHRUN);
    }
  }

  /** The lines with one prefix. */
  private static final class Writer {
    private boolean within;
    private boolean chained;
    private boolean begun;
    private int latest = -1;
  }

  /**
   * Finds them.
   *
   * @param text a log, or the end of one
   * @return in the order of their last lines
   */
  static List<Exception> in(String text) {
    Tracebacks tracebacks = new Tracebacks();
    int begin = 0;
    while (begin < text.length()) {
      int end = text.indexOf('\n', begin);
      end = end < 0 ? text.length() : end;
      tracebacks.line(text.substring(begin, end), begin);
      begin = end + 1;
    }
    return tracebacks.found;
  }

  private void line(String whole, int at) {
    Matcher prefixed = PREFIX.matcher(whole);
    String prefix = prefixed.find() ? prefixed.group() : "";
    String line = whole.substring(prefix.length());
    Writer writer = writers.computeIfAbsent(prefix.strip(), any -> new Writer());
    if (line.startsWith(BEGIN)) {
      writer.within = true;
      writer.begun = true;
      return;
    }
    String stripped = line.stripTrailing();
    if (writer.within) {
      if (EXCEPTION.matcher(stripped).matches()) {
        writer.within = false;
        add(writer, prefix, stripped, at);
      }
    } else if (CHAINED.contains(stripped)) {
      writer.chained = true;
    } else if (!writer.begun && BY_NAME.matcher(stripped).matches()) {
      add(writer, prefix, stripped, at);
    }
  }

  private void add(Writer writer, String prefix, String exception, int at) {
    @Nullable Exception cause =
        writer.chained && writer.latest >= 0 ? found.get(writer.latest) : null;
    Matcher ranked = RANK.matcher(prefix);
    Integer rank = ranked.find() ? Integer.valueOf(ranked.group(1)) : null;
    writer.chained = false;
    if (cause == null) {
      writer.latest = found.size();
      found.add(new Exception(exception, exception, rank, at));
    } else {
      found.set(writer.latest, new Exception(cause.first(), exception, rank, at));
    }
  }
}
