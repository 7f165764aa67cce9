package dev.tensorstack.training.localnode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * One running container: the main process, under a guard in a session of its own.
 *
 * <p>The guard is a shell that waits for the main process and passes its exit status on. It holds
 * the reading end of a pipe from this JVM; when the JVM is gone, however that came about, the pipe
 * closes and the guard kills everything that belongs to the container.
 *
 * <p>When the main process ends, the guard first kills what it has left behind. The watch stops the
 * guard before it kills, so that the guard cannot end the watch in the middle of its work.
 */
final class ContainerProcess {
  /** Marks the guard's own command line. */
  static final String GUARD_NAME = "local-node-guard";

  private static final String GUARD =
      """
      pid_file=$1 mark=$2
      shift 2
      exec 3<&0 0</dev/null 4>&2 2>/dev/null
      sweep() {
        PATH=/usr/bin:/bin
        rounds=0
        while [ $rounds -lt 100 ]; do
          pids=$(grep -lsaF -- "$mark" /proc/[0-9]*/environ | cut -d/ -f3)
          [ -n "$pids" ] || break
          kill -KILL $pids
          rounds=$((rounds + 1))
        done
      }
      (
        exec 1>/dev/null 4>&-
        read -r nothing <&3
        kill -STOP $$
        sweep
        kill -KILL 0
      ) &
      watch=$!
      # Who started this JVM may have told it to ignore signals; a container begins without that.
      if /usr/bin/env --default-signal true; then signals=--default-signal; else signals=; fi
      export signals
      /bin/sh -c 'exec 2>&4 3<&- 4>&-; echo $$ >"$0"; exec /usr/bin/env $signals -i "$@"' "$pid_file" "$@"
      status=$?
      sweep
      kill -KILL $watch
      exit $status
      """;

  private final Process guard;
  private final Path pidFile;
  private final String mark;
  private volatile int exitCode = -1;
  private volatile Instant endedAt = Instant.EPOCH;

  private ContainerProcess(Process guard, Path pidFile, String mark) {
    this.guard = guard;
    this.pidFile = pidFile;
    this.mark = mark;
  }

  /**
   * Starts a container's main process.
   *
   * @param spec the process
   * @param pidFile a file of this container, where its process id gets written
   * @param mark what its processes are found by, unique on this machine
   * @param log where output and error output go; closed at the end
   * @param onExit called once, after everything has ended and the log is complete
   * @return the process, in which the program itself already runs (or has ended)
   * @throws IOException if the program is not found or the working directory is not there
   */
  static ContainerProcess start(
      ProcessSpec spec, Path pidFile, String mark, ContainerLog log, Runnable onExit)
      throws IOException {
    requireProgram(spec);
    Files.deleteIfExists(pidFile);
    List<String> command = new ArrayList<>();
    command.addAll(List.of("setsid", "/bin/sh", "-c", GUARD, GUARD_NAME));
    command.addAll(List.of(pidFile.toString(), ProcessTree.VARIABLE + "=" + mark));
    command.add(ProcessTree.VARIABLE + "=" + mark);
    spec.environment().forEach((name, value) -> command.add(name + "=" + value));
    command.addAll(spec.argv());
    Process guard =
        new ProcessBuilder(command)
            .directory(spec.workingDirectory().toFile())
            .redirectErrorStream(true)
            .start();
    ContainerProcess process = new ContainerProcess(guard, pidFile, mark);
    Thread pump = new Thread(() -> log.pump(guard.getInputStream()), "log of " + mark);
    pump.setDaemon(true);
    pump.start();
    Thread waiter = new Thread(() -> process.await(pump, log, onExit), "end of " + mark);
    waiter.setDaemon(true);
    waiter.start();
    process.awaitProgram();
    return process;
  }

  /**
   * The exit code, once everything has ended.
   *
   * @return 0 to 255, 128 + n after signal n; empty while it runs
   */
  OptionalInt exitCode() {
    return exitCode < 0 ? OptionalInt.empty() : OptionalInt.of(exitCode);
  }

  /**
   * When the main process ended.
   *
   * @return the moment; without meaning while {@link #exitCode} is empty
   */
  Instant endedAt() {
    return endedAt;
  }

  /**
   * Sends a signal to the main process alone; does nothing when it has ended.
   *
   * @param signal the signal's name without {@code SIG}, or its number
   * @throws IllegalArgumentException if there is no such signal
   */
  void signal(String signal) {
    long pid = mainPid();
    if (pid < 0 || !guard.isAlive()) {
      return;
    }
    try {
      Process kill =
          new ProcessBuilder("/bin/sh", "-c", "kill -s \"$0\" \"$1\"", signal, Long.toString(pid))
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      if (kill.waitFor() != 0 && guard.isAlive() && Files.exists(Path.of("/proc/" + pid))) {
        throw new IllegalArgumentException("cannot send signal " + signal + " to " + pid);
      }
    } catch (IOException e) {
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Kills everything that belongs to the container. Its exit code becomes 137. */
  void kill() {
    ProcessTree.kill(this::members);
  }

  /**
   * The container's processes.
   *
   * @return the process ids, without the guard
   */
  Set<Long> members() {
    Set<Long> members = new TreeSet<>(ProcessTree.marked(mark));
    if (guard.isAlive()) {
      members.addAll(ProcessTree.inSession(guard.pid()));
    }
    return members;
  }

  private void await(Thread pump, ContainerLog log, Runnable onExit) {
    try {
      int code = guard.waitFor();
      endedAt = Instant.now();
      pump.join(TimeUnit.SECONDS.toMillis(3));
      log.close();
      exitCode = code;
      onExit.run();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits until the shells that lead to the program have given way to it. */
  private void awaitProgram() {
    long pid = mainPid();
    poll(() -> ProcessTree.isMarked(pid, mark));
  }

  private long mainPid() {
    poll(() -> readPid() > 0);
    return readPid();
  }

  /** The main process's id, -1 while it is not written. */
  private long readPid() {
    try {
      String text = Files.exists(pidFile) ? Files.readString(pidFile) : "";
      return text.endsWith("\n") ? Long.parseLong(text.trim()) : -1;
    } catch (IOException e) {
      return -1;
    }
  }

  /** Looks again and again, while the guard lives and for five seconds at most. */
  private void poll(BooleanSupplier condition) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(5);
    while (!condition.getAsBoolean() && guard.isAlive() && System.nanoTime() < deadline) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
    }
  }

  private static void requireProgram(ProcessSpec spec) throws IOException {
    String program = spec.argv().get(0);
    List<Path> candidates = new ArrayList<>();
    if (program.contains("/")) {
      candidates.add(spec.workingDirectory().resolve(program));
    } else {
      for (String entry : spec.environment().getOrDefault("PATH", "").split(":")) {
        candidates.add(spec.workingDirectory().resolve(entry).resolve(program));
      }
    }
    if (candidates.stream()
        .noneMatch(file -> Files.isRegularFile(file) && Files.isExecutable(file))) {
      String why =
          program.contains("/")
              ? "no such file or directory"
              : "executable file not found in $PATH";
      throw new IOException("exec: \"" + program + "\": " + why);
    }
  }
}
