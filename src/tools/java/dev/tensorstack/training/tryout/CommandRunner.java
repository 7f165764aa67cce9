package dev.tensorstack.training.tryout;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** Runs a command to its end; replaced in unit tests. */
interface CommandRunner {

  /**
   * Runs a command and waits for it.
   *
   * @param command the program and its arguments
   * @param timeout the command is ended, with what it has started, after this time
   * @return exit code and output; an exit code of -1 when the time ran out
   * @throws IOException when the program cannot be started, for example because it does not exist
   * @throws InterruptedException when the calling thread was interrupted; the command has been
   *     ended
   */
  Result run(List<String> command, Duration timeout) throws IOException, InterruptedException;

  /**
   * How a command ended.
   *
   * @param exitCode 0 for success, -1 when the time ran out
   * @param output standard output and standard error, mixed, in the order of writing
   */
  record Result(int exitCode, String output) {
    boolean succeeded() {
      return exitCode == 0;
    }

    /** The last lines of the output: where tools say what went wrong. */
    String tail(int lines) {
      List<String> all = output.strip().lines().toList();
      return String.join("\n", all.subList(Math.max(0, all.size() - lines), all.size()));
    }
  }
}
