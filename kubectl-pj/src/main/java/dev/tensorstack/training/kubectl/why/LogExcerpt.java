package dev.tensorstack.training.kubectl.why;

import java.util.List;
import java.util.regex.Pattern;

/**
 * The last words of a training.
 *
 * @param lines the lines
 * @param cut whether the report that torchrun adds after a failure was left out
 */
public record LogExcerpt(List<String> lines, boolean cut) {

  /** Torchrun's report, with a trace of its own, is about as long. */
  public static final int REPORT = 80;

  /** With it torchrun's report begins. */
  private static final Pattern FAILED =
      Pattern.compile("\\[?E.*torch[./]distributed[./]elastic\\S* .*failed \\(exitcode: .*");

  /** What torchrun says before it: how it ends the other processes of its node. */
  private static final Pattern AGENT = Pattern.compile("\\[?[WEI].*torch[./]distributed[./].*");

  /** Copies the lines. */
  public LogExcerpt {
    lines = List.copyOf(lines);
  }

  /**
   * Chooses lines.
   *
   * @param log the end of a log
   * @param length how many lines at most
   * @return the last lines of what the training itself said; of all, where torchrun reports no
   *     failure, or nothing was said before
   */
  public static LogExcerpt of(String log, int length) {
    List<String> all = log.lines().toList();
    int end = all.size();
    for (int i = 0; i < all.size(); i++) {
      if (FAILED.matcher(all.get(i)).matches()) {
        end = i;
      }
    }
    while (end > 0 && end < all.size() && AGENT.matcher(all.get(end - 1)).matches()) {
      end--;
    }
    if (end == 0) {
      end = all.size();
    }
    return new LogExcerpt(all.subList(Math.max(0, end - length), end), end < all.size());
  }
}
