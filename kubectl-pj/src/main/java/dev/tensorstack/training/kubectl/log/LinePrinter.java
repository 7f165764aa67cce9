package dev.tensorstack.training.kubectl.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.OutputStream;

/**
 * Prints whole lines of many sources, each with a prefix that says whose it is. Safe for use by
 * several threads: no line is ever torn by another one.
 */
public final class LinePrinter {

  /** Those that can be read on light and dark ground. */
  private static final int[] COLORS = {36, 33, 32, 35, 34, 31, 96, 93, 92, 95, 94, 91};

  private static final byte[] NEWLINE = {'\n'};

  private final OutputStream out;
  private final boolean prefixes;
  private final boolean colors;
  private final int rankWidth;
  private final int nameWidth;
  private boolean broken;

  /**
   * Prints to a stream.
   *
   * @param out where lines go; it is flushed after each
   * @param prefixes whether lines get prefixes
   * @param colors whether prefixes are coloured
   * @param rankWidth the width of ranks, in characters
   * @param nameWidth the width of replicas' names, in characters
   */
  public LinePrinter(
      OutputStream out, boolean prefixes, boolean colors, int rankWidth, int nameWidth) {
    this.out = out;
    this.prefixes = prefixes;
    this.colors = colors;
    this.rankWidth = rankWidth;
    this.nameWidth = nameWidth;
  }

  /**
   * The prefix of a rank.
   *
   * @param rank the rank
   * @param replica its replica's name
   * @return for example <code>" 3 worker-2  | "</code>, with colours where they are wanted; empty
   *     without prefixes
   */
  public String prefix(int rank, String replica) {
    if (!prefixes) {
      return "";
    }
    String text =
        " ".repeat(Math.max(0, rankWidth - Integer.toString(rank).length()))
            + rank
            + " "
            + replica
            + " ".repeat(Math.max(0, nameWidth - replica.length()))
            + " | ";
    return colors ? "\u001b[" + COLORS[rank % COLORS.length] + "m" + text + "\u001b[0m" : text;
  }

  /**
   * Prints a line.
   *
   * @param prefix what stands before it
   * @param line the line without its newline
   */
  public void print(String prefix, byte[] line) {
    byte[] head = prefix.getBytes(UTF_8);
    byte[] whole = new byte[head.length + line.length + NEWLINE.length];
    System.arraycopy(head, 0, whole, 0, head.length);
    System.arraycopy(line, 0, whole, head.length, line.length);
    whole[whole.length - 1] = NEWLINE[0];
    synchronized (this) {
      try {
        out.write(whole);
        out.flush();
      } catch (IOException readerLeft) {
        broken = true;
      }
    }
  }

  /**
   * Whether nobody reads any more, as after {@code | head}.
   *
   * @return whether a line could not be written
   */
  public synchronized boolean isBroken() {
    return broken;
  }
}
