package dev.tensorstack.training.kubectl.terminal;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** What the three standard streams are, and how large the terminal is. */
public final class Terminal {

  private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
  private static final long LIMIT_SECONDS = 2;
  private static final Size UNKNOWN = new Size(100, 40);

  /** The standard streams. */
  public enum Stream {
    /** Standard input. */
    INPUT(0),
    /** Standard output. */
    OUTPUT(1),
    /** Standard error. */
    ERROR(2);

    private final int descriptor;

    Stream(int descriptor) {
      this.descriptor = descriptor;
    }
  }

  /**
   * The size of a terminal.
   *
   * @param columns characters in a line
   * @param rows lines
   */
  public record Size(int columns, int rows) {

    /** What is no terminal takes everything. */
    public static final Size UNLIMITED = new Size(Integer.MAX_VALUE, Integer.MAX_VALUE);
  }

  private Terminal() {}

  /**
   * Whether a stream is a terminal.
   *
   * @param stream the stream
   * @return false when it is a file, a pipe, or nothing is known
   */
  public static boolean is(Stream stream) {
    Path link = DESCRIPTORS.resolve(Integer.toString(stream.descriptor));
    try {
      if (Files.isSymbolicLink(link)) {
        String target = Files.readSymbolicLink(link).toString();
        return target.startsWith("/dev/pts/")
            || target.startsWith("/dev/tty")
            || target.equals("/dev/console");
      }
      // No Linux: the shell's own question, with the same streams.
      Process test =
          new ProcessBuilder("test", "-t", Integer.toString(stream.descriptor)).inheritIO().start();
      return test.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS) && test.exitValue() == 0;
    } catch (IOException unknown) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /**
   * The size of the terminal.
   *
   * @return its size; 100 columns and 40 rows when it cannot be known
   */
  public static Size size() {
    String answer = stty("size");
    String[] words = answer.strip().split(" ");
    if (words.length == 2 && words[0].matches("\\d{1,4}") && words[1].matches("\\d{1,4}")) {
      Size size = new Size(Integer.parseInt(words[1]), Integer.parseInt(words[0]));
      return size.columns() > 0 && size.rows() > 0 ? size : UNKNOWN;
    }
    return UNKNOWN;
  }

  /**
   * Passes every key on as it is typed, without an echo.
   *
   * @return the settings as they were, for {@link #restore}
   */
  public static String raw() {
    String before = stty("-g").strip();
    String unused = stty("raw", "-echo");
    return before;
  }

  /**
   * Puts the terminal's settings back.
   *
   * @param settings what {@link #raw} returned; with an empty text, a sane state is chosen
   */
  public static void restore(String settings) {
    String unused = stty(settings.isEmpty() ? "sane" : settings);
  }

  /**
   * Runs the program that knows terminals; a JVM does not.
   *
   * @param arguments its arguments
   * @return what it says; empty when there is no terminal, or no such program
   */
  private static String stty(String... arguments) {
    String[] command = new String[arguments.length + 1];
    command[0] = "stty";
    System.arraycopy(arguments, 0, command, 1, arguments.length);
    try {
      Process stty =
          new ProcessBuilder(command)
              .redirectInput(Path.of("/dev/tty").toFile())
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      String answer = new String(stty.getInputStream().readAllBytes(), UTF_8);
      return stty.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS) ? answer : "";
    } catch (IOException noTerminal) {
      return "";
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "";
    }
  }
}
