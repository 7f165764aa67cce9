package dev.tensorstack.training.core.observe;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A container of a pod.
 *
 * @param name the container's name
 * @param init whether it is an init container
 * @param state what it does
 * @param reason the kubelet's word for it, or null
 * @param message the kubelet's or the container's sentence (the termination message), or null
 * @param exitCode the exit code of a terminated container, else null
 * @param signal the signal that ended it, or null
 * @param finishedAt when it ended, or null
 * @param restarts how often the kubelet has started it again, in the same pod
 * @param lastEnd how it ended before its present start; null when it was never started again
 * @param sidecar whether another container of the pod is the one whose end counts
 */
public record ObservedContainer(
    String name,
    boolean init,
    State state,
    @Nullable String reason,
    @Nullable String message,
    @Nullable Integer exitCode,
    @Nullable Integer signal,
    @Nullable Instant finishedAt,
    int restarts,
    @Nullable ObservedContainer lastEnd,
    boolean sidecar) {

  /** The kubelet's word for a container that it starts again after a while. */
  private static final String BACKS_OFF = "CrashLoopBackOff";

  /**
   * A container that was never started again.
   *
   * @param name see above
   * @param init see above
   * @param state see above
   * @param reason see above
   * @param message see above
   * @param exitCode see above
   * @param signal see above
   * @param finishedAt see above
   */
  public ObservedContainer(
      String name,
      boolean init,
      State state,
      @Nullable String reason,
      @Nullable String message,
      @Nullable Integer exitCode,
      @Nullable Integer signal,
      @Nullable Instant finishedAt) {
    this(name, init, state, reason, message, exitCode, signal, finishedAt, 0, null, false);
  }

  /** What a container does; {@code state} of core/v1 ContainerStatus. */
  public enum State {
    /** Not started. */
    WAITING,
    /** Runs. */
    RUNNING,
    /** Has ended. */
    TERMINATED
  }

  /**
   * Whether the container ended badly.
   *
   * @return true for a terminated container with an exit code other than 0
   */
  public boolean failed() {
    return exitCode != null && exitCode != 0;
  }

  /**
   * Whether the container has ended and its kubelet is about to start it again. That start is not
   * among the {@link #restarts} yet.
   *
   * @return false while it runs, before its first start, and once it has ended for good
   */
  public boolean startsAgain() {
    return state == State.WAITING && lastEnd != null && BACKS_OFF.equals(reason);
  }

  /**
   * The same container, which has ended, of a pod whose restart policy starts it again: as kubelets
   * show it while they wait.
   *
   * @return a container that waits, with this one's end as its last
   */
  public ObservedContainer backingOff() {
    ObservedContainer end =
        new ObservedContainer(
            name, init, state, reason, message, exitCode, signal, finishedAt, 0, null, false);
    return new ObservedContainer(
        name, init, State.WAITING, BACKS_OFF, null, null, null, null, restarts, end, sidecar);
  }

  /**
   * The same container of a pod in which the end of another one counts.
   *
   * @return a sidecar, as which it has also ended before
   */
  public ObservedContainer asSidecar() {
    return new ObservedContainer(
        name,
        init,
        state,
        reason,
        message,
        exitCode,
        signal,
        finishedAt,
        restarts,
        lastEnd == null ? null : lastEnd.asSidecar(),
        true);
  }
}
