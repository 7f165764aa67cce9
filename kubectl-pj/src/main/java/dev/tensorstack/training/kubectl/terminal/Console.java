package dev.tensorstack.training.kubectl.terminal;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;

/**
 * The standard streams in UTF-8, whatever the locale is: Kubernetes' texts are.
 *
 * @param out where results go
 * @param err where everything else goes
 */
public record Console(PrintStream out, PrintStream err) {

  /**
   * The process's own streams.
   *
   * @return the console
   */
  public static Console standard() {
    return new Console(
        new PrintStream(new FileOutputStream(FileDescriptor.out), true, UTF_8),
        new PrintStream(new FileOutputStream(FileDescriptor.err), true, UTF_8));
  }

  /**
   * Prints a result.
   *
   * @param line a line without its newline
   */
  public void print(String line) {
    out.print(line + "\n");
    out.flush();
  }

  /**
   * Tells the user something that is no result; nothing once the user has ended the program.
   *
   * @param line a line without its newline
   */
  public void tell(String line) {
    if (Ending.hasBegun()) {
      return;
    }
    err.print(line + "\n");
    err.flush();
  }
}
