package dev.tensorstack.training.localnode;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One container of a pod through all its starts. Changed by the pod's own thread only; other
 * threads may read it and send signals.
 */
final class ContainerRun {
  /** What a container is for. */
  enum Kind {
    /** Has to end well before the next one starts. */
    INIT,
    /** An init container that goes on running beside the others. */
    SIDECAR,
    /** One of the pod's containers. */
    MAIN
  }

  private static final Duration LONGEST_DELAY = Duration.ofMinutes(5);

  private final Container container;
  private final Kind kind;
  private volatile ContainerPhase phase;
  private volatile ContainerPhase.@Nullable Terminated last;
  private volatile int starts;
  private volatile boolean playedOutOfMemory;
  private volatile boolean ready;
  private volatile @Nullable ContainerProcess process;
  private volatile @Nullable ContainerLog log;
  private volatile @Nullable ContainerLog previousLog;
  private @Nullable ReadinessProbe probe;
  private @Nullable ProcessSpec spec;
  private @Nullable Path directory;
  private Instant notBefore = Instant.MIN;
  private boolean asked;
  private int restartsBefore;

  /**
   * A container that has not been started.
   *
   * @param container the container
   * @param kind what it is for
   * @param reason the reason it waits for
   */
  ContainerRun(Container container, Kind kind, String reason) {
    this.container = container;
    this.kind = kind;
    this.phase = new ContainerPhase.Waiting(reason, null);
  }

  Container container() {
    return container;
  }

  Kind kind() {
    return kind;
  }

  ContainerPhase phase() {
    return phase;
  }

  /**
   * How the run before this one ended.
   *
   * @return null if there was none
   */
  ContainerPhase.@Nullable Terminated last() {
    return last;
  }

  int restarts() {
    return Math.max(0, starts - 1) + restartsBefore;
  }

  boolean running() {
    return phase instanceof ContainerPhase.Running;
  }

  boolean ready() {
    return running() && ready;
  }

  /**
   * The moment before which it must not be started again.
   *
   * @return {@link Instant#MIN} for now
   */
  Instant notBefore() {
    return notBefore;
  }

  /**
   * How it ended, if it has.
   *
   * @return null while it waits or runs
   */
  ContainerPhase.@Nullable Terminated ended() {
    return phase instanceof ContainerPhase.Terminated ended ? ended : null;
  }

  void waits(String reason, @Nullable String message) {
    phase = new ContainerPhase.Waiting(reason, message);
  }

  /**
   * Takes over what an earlier life of the node has reported: what was not reported as ended is
   * lost.
   *
   * @param status the container's status
   */
  void adopt(ContainerStatus status) {
    ContainerStateTerminated end = status.getState().getTerminated();
    boolean neverStarted = status.getState().getWaiting() != null && status.getRestartCount() == 0;
    if (neverStarted) {
      return;
    }
    restartsBefore = status.getRestartCount();
    starts = 1;
    if (end == null) {
      lost();
      return;
    }
    phase =
        new ContainerPhase.Terminated(
            end.getExitCode(),
            end.getReason(),
            end.getMessage(),
            parse(end.getStartedAt()),
            parse(end.getFinishedAt()));
  }

  /** Records an end of which nothing is known. */
  void lost() {
    phase =
        new ContainerPhase.Terminated(
            137,
            "ContainerStatusUnknown",
            "The container could not be located when the pod was terminated",
            null,
            null);
  }

  /**
   * Starts the container, for the first time or again.
   *
   * @param what the process
   * @param where the container's own directory, for logs and the process id
   * @param mark the beginning of the mark of its processes
   * @param podIp the address that probes ask
   * @param changed called from other threads when something has happened
   */
  void start(ProcessSpec what, Path where, String mark, String podIp, Runnable changed) {
    ContainerPhase.Terminated before = ended() == null ? last : ended();
    last = before;
    previousLog = log;
    Instant now = Instant.now();
    starts++;
    asked = false;
    playedOutOfMemory = false;
    spec = what;
    directory = where;
    try {
      ContainerLog output =
          new ContainerLog(NodeDirectory.create(where).resolve(restarts() + ".log"));
      log = output;
      Files.write(what.terminationMessage(), new byte[0]);
      String ownMark = mark + "/" + container.getName() + "/" + UUID.randomUUID();
      process = ContainerProcess.start(what, where.resolve("pid"), ownMark, output, changed);
      ready = container.getReadinessProbe() == null;
      if (container.getReadinessProbe() != null) {
        probe =
            ReadinessProbe.start(
                container,
                what,
                podIp,
                answer -> {
                  ready = answer;
                  changed.run();
                });
      }
      phase = new ContainerPhase.Running(now);
    } catch (IOException e) {
      ContainerLog output = log;
      if (output != null) {
        output.close();
      }
      phase = new ContainerPhase.Terminated(128, "StartError", e.getMessage(), now, now);
    }
  }

  /** Looks whether the process has ended, and if so, how. */
  void refresh() {
    ContainerProcess current = process;
    ContainerLog output = log;
    ProcessSpec what = spec;
    if (!(phase instanceof ContainerPhase.Running running)
        || current == null
        || output == null
        || what == null
        || current.exitCode().isEmpty()) {
      return;
    }
    int code = current.exitCode().getAsInt();
    if (probe != null) {
      probe.close();
      probe = null;
    }
    String reason = playedOutOfMemory ? "OOMKilled" : code == 0 ? "Completed" : "Error";
    String message =
        TerminationMessage.read(container, what.terminationMessage(), output, code != 0);
    phase =
        new ContainerPhase.Terminated(
            code, reason, message, running.startedAt(), current.endedAt());
    process = null;
  }

  /**
   * Makes an ended container wait for its next start.
   *
   * @param first the delay before the second restart; the first one is not delayed
   */
  void backOff(Duration first) {
    ContainerPhase.Terminated end = ended();
    if (end == null) {
      return;
    }
    last = end;
    Duration delay = Duration.ZERO;
    if (restarts() > 0) {
      delay = first.multipliedBy(1L << Math.min(restarts() - 1, 20));
      delay = delay.compareTo(LONGEST_DELAY) > 0 ? LONGEST_DELAY : delay;
    }
    notBefore = Instant.now().plus(delay);
    if (!delay.isZero()) {
      String message = "back-off " + delay.toSeconds() + "s restarting failed container=";
      phase = new ContainerPhase.Waiting("CrashLoopBackOff", message + container.getName());
    }
  }

  /** Asks the main process to end (SIGTERM), once per start. */
  void terminate() {
    ContainerProcess current = process;
    if (current != null && !asked) {
      asked = true;
      current.signal("TERM");
    }
  }

  /** Kills everything that belongs to the container. */
  void kill() {
    ContainerProcess current = process;
    if (current != null) {
      current.kill();
    }
  }

  /**
   * Sends a signal to the main process, as a fault from outside.
   *
   * @param signal its name without {@code SIG}, or its number
   * @throws IllegalStateException if the container is not running
   */
  void signal(String signal) {
    requireProcess().signal(signal);
  }

  /**
   * Ends the container as if it had used too much memory.
   *
   * @throws IllegalStateException if the container is not running
   */
  void playOutOfMemory() {
    ContainerProcess current = requireProcess();
    playedOutOfMemory = true;
    current.kill();
  }

  /**
   * The processes that belong to the container.
   *
   * @return process ids, empty when it is not running
   */
  Set<Long> processes() {
    ContainerProcess current = process;
    return current == null ? Set.of() : current.members();
  }

  /**
   * The log.
   *
   * @param previous whether the run before the last start is meant
   * @return null if there is none
   */
  @Nullable ContainerLog log(boolean previous) {
    return previous ? previousLog : log;
  }

  /**
   * Where its logs lie.
   *
   * @return null before the first start
   */
  @Nullable Path directory() {
    return directory;
  }

  private static @Nullable Instant parse(@Nullable String moment) {
    return moment == null ? null : Instant.parse(moment);
  }

  private ContainerProcess requireProcess() {
    ContainerProcess current = process;
    if (current == null) {
      throw new IllegalStateException(container.getName() + " is not running");
    }
    return current;
  }
}
