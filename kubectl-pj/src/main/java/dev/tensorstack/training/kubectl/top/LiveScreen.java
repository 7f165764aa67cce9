package dev.tensorstack.training.kubectl.top;

import dev.tensorstack.training.kubectl.terminal.Terminal;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * The terminal's other screen, drawn anew as often as needed; what stood in the terminal before is
 * there again afterwards, also after Ctrl-C.
 */
public final class LiveScreen implements AutoCloseable {

  private static final String ENTER = "\u001b[?1049h\u001b[?25l";
  private static final String LEAVE = "\u001b[?25h\u001b[?1049l";
  private static final String HOME = "\u001b[H";
  private static final String END_OF_LINE = "\u001b[K";
  private static final String END_OF_SCREEN = "\u001b[J";

  private final PrintStream out;
  private final Thread leaveAtEnd = new Thread(this::leave, "leave-screen");
  private boolean left;

  /**
   * Enters it.
   *
   * @param out the terminal
   */
  public LiveScreen(PrintStream out) {
    this.out = out;
    Runtime.getRuntime().addShutdownHook(leaveAtEnd);
    out.print(ENTER);
    out.flush();
  }

  /**
   * Draws.
   *
   * @param picture gives all lines for a terminal of some size; what does not fit is cut
   */
  public synchronized void draw(Function<Terminal.Size, List<String>> picture) {
    if (left) {
      return;
    }
    Terminal.Size size = Terminal.size();
    StringBuilder screen = new StringBuilder(HOME);
    for (String line : fit(picture.apply(size), size.columns(), size.rows())) {
      screen.append(line).append(END_OF_LINE).append("\r\n");
    }
    out.print(screen.append(END_OF_SCREEN));
    out.flush();
  }

  private synchronized void leave() {
    if (!left) {
      left = true;
      out.print(LEAVE);
      out.flush();
    }
  }

  @Override
  public void close() {
    leave();
  }

  /**
   * What fits on a screen.
   *
   * @param lines the lines
   * @param columns the screen's width
   * @param rows the screen's height
   * @return the lines, cut; the last one says how many are left out
   */
  static List<String> fit(List<String> lines, int columns, int rows) {
    List<String> fitting = new ArrayList<>();
    int room = Math.max(1, rows - 1);
    int shown = lines.size() <= room ? lines.size() : room - 1;
    for (String line : lines.subList(0, shown)) {
      fitting.add(line.length() <= columns ? line : line.substring(0, columns - 1) + "…");
    }
    if (shown < lines.size()) {
      fitting.add("… and " + (lines.size() - shown) + " more lines (all of them: --once)");
    }
    return fitting;
  }
}
