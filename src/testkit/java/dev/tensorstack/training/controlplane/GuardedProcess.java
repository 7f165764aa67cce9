package dev.tensorstack.training.controlplane;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A child process that does not outlive this JVM, not even when the JVM is killed with SIGKILL.
 *
 * <p>It runs below a small shell whose standard input is a pipe from this JVM. However the JVM
 * ends, the system closes the pipe; the shell then asks the child to end, and kills it after three
 * seconds.
 */
public final class GuardedProcess {
  private static final String GUARD =
      """
      exec 3<&0
      "$@" </dev/null 3<&- &
      child=$!
      (
        read -r line <&3
        trap '' TERM
        kill -TERM $child
        n=0
        while [ $n -lt 30 ] && kill -0 $child; do sleep 0.1; n=$((n+1)); done
        kill -KILL $child
        [ -z "$GUARD_REMOVES" ] || rm -rf "$GUARD_REMOVES"
      ) >/dev/null 2>&1 &
      guard=$!
      exec 3<&-
      wait $child
      status=$?
      kill $guard 2>/dev/null
      exit $status
      """;

  private static final Duration STOP_LIMIT = Duration.ofSeconds(10);

  private final String name;
  private final Path log;
  private final Process shell;

  private GuardedProcess(String name, Path log, Process shell) {
    this.name = name;
    this.log = log;
    this.shell = shell;
  }

  /**
   * Starts a child process.
   *
   * @param name how messages call it
   * @param command the program and its arguments
   * @param workingDirectory where it runs
   * @param environment variables to add to those of this JVM
   * @param log where its output is appended
   * @param removes a folder that the guard deletes when the child was stopped; null for none
   * @return the running child
   */
  public static GuardedProcess start(
      String name,
      List<String> command,
      Path workingDirectory,
      Map<String, String> environment,
      Path log,
      @Nullable Path removes) {
    List<String> guarded = new ArrayList<>(List.of("sh", "-c", GUARD, "guard-" + name));
    guarded.addAll(command);
    ProcessBuilder builder =
        new ProcessBuilder(guarded)
            .directory(workingDirectory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
    builder.environment().putAll(environment);
    builder.environment().put("GUARD_REMOVES", removes == null ? "" : removes.toString());
    try {
      return new GuardedProcess(name, log, builder.start());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start " + name, e);
    }
  }

  /**
   * How messages call it.
   *
   * @return the name
   */
  public String name() {
    return name;
  }

  /**
   * Whether it runs.
   *
   * @return false once it has ended
   */
  public boolean isAlive() {
    return shell.isAlive();
  }

  /**
   * The process that does the work.
   *
   * @return the child's id, not the guard's
   * @throws IllegalStateException when there is none (any more)
   */
  public long pid() {
    return shell
        .children()
        .filter(child -> !child.info().command().orElse("sh").endsWith("sh"))
        .findFirst()
        .orElseThrow(() -> new IllegalStateException(name + " does not run"))
        .pid();
  }

  /**
   * Waits for the end.
   *
   * @return the child's exit code, 128 + signal when a signal ended it
   * @throws InterruptedException when the waiting thread is interrupted
   */
  public int waitFor() throws InterruptedException {
    return shell.waitFor();
  }

  /** Asks the child to end, kills it when it does not, and waits until it is gone. Idempotent. */
  public void stop() {
    boolean interrupted = false;
    try {
      shell.getOutputStream().close();
      if (!shell.waitFor(STOP_LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
        kill();
      }
    } catch (IOException e) {
      kill();
    } catch (InterruptedException e) {
      kill();
      interrupted = true;
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Kills the child at once, with SIGKILL: it can write nothing more. */
  public void kill() {
    List<ProcessHandle> family = shell.descendants().toList();
    family.forEach(ProcessHandle::destroyForcibly);
    shell.destroyForcibly();
  }

  /**
   * The last lines of its output.
   *
   * @param count how many at most
   * @return the lines, or a sentence on why they cannot be read
   */
  public String lastLines(int count) {
    try {
      List<String> lines = Files.readAllLines(log, StandardCharsets.ISO_8859_1);
      return String.join("\n", lines.subList(Math.max(0, lines.size() - count), lines.size()));
    } catch (IOException e) {
      return "(" + log + " cannot be read: " + e.getMessage() + ")";
    }
  }
}
