package dev.tensorstack.training.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Programs of this machine, as a user calls them. */
final class Program {

  private static final Duration LIMIT = Duration.ofMinutes(5);

  private Program() {}

  /**
   * Runs kubectl.
   *
   * @param arguments its arguments
   * @return what it gave, whatever the exit code is
   */
  static ProgramResult kubectl(String... arguments) {
    return run("", command("kubectl", arguments));
  }

  /**
   * Runs kubectl with something to read.
   *
   * @param input what it reads, for {@code -f -}
   * @param arguments its arguments
   * @return what it gave, whatever the exit code is
   */
  static ProgramResult kubectlWith(String input, String... arguments) {
    return run(input, command("kubectl", arguments));
  }

  /**
   * Runs Helm.
   *
   * @param arguments its arguments
   * @return what it gave, whatever the exit code is
   */
  static ProgramResult helm(String... arguments) {
    return run("", command("helm", arguments));
  }

  /**
   * Runs a command line with the shell.
   *
   * @param line what to run; {@code %s} stands for the subject
   * @param subject for example a node
   * @return what it gave, whatever the exit code is
   */
  static ProgramResult shell(String line, String subject) {
    return run("", List.of("bash", "-c", line.replace("%s", subject)));
  }

  /**
   * Runs a program that may take longer than the others.
   *
   * @param limit how long it may take
   * @param command the program and its arguments
   * @return what it gave, whatever the exit code is
   * @throws AssertionError when the time is over
   */
  static ProgramResult within(Duration limit, String... command) {
    return run(limit, "", List.of(command));
  }

  private static List<String> command(String program, String... arguments) {
    List<String> command = new ArrayList<>(List.of(program));
    command.addAll(List.of(arguments));
    return command;
  }

  private static ProgramResult run(String input, List<String> command) {
    return run(LIMIT, input, command);
  }

  private static ProgramResult run(Duration limit, String input, List<String> command) {
    try {
      Path home = Files.createDirectories(Path.of("target/e2e"));
      Path stdin = Files.writeString(Files.createTempFile(home, "in", ".txt"), input);
      Path stdout = Files.createTempFile(home, "out", ".txt");
      Path stderr = Files.createTempFile(home, "err", ".txt");
      Process process =
          new ProcessBuilder(command)
              .redirectInput(stdin.toFile())
              .redirectOutput(stdout.toFile())
              .redirectError(stderr.toFile())
              .start();
      try {
        if (!process.waitFor(limit.toSeconds(), TimeUnit.SECONDS)) {
          throw new AssertionError(
              "no end within %s: %s%n%s%n%s"
                  .formatted(
                      limit,
                      command,
                      Files.readString(stderr, UTF_8),
                      Files.readString(stdout, UTF_8)));
        }
        return new ProgramResult(
            String.join(" ", command),
            process.exitValue(),
            Files.readString(stdout, UTF_8),
            Files.readString(stderr, UTF_8));
      } finally {
        process.destroyForcibly();
        for (Path file : List.of(stdin, stdout, stderr)) {
          Files.deleteIfExists(file);
        }
      }
    } catch (IOException problem) {
      throw new UncheckedIOException(problem);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted in " + command, interrupted);
    }
  }
}
