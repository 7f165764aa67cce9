package dev.tensorstack.training.fakekubelet;

import java.time.Duration;

/**
 * What the containers of a pod do on a fake node. Immutable.
 *
 * <p>The pod's restart policy is respected: where it says so, a container that ended is started
 * again in place, with its restart count increased, and then does the same once more.
 */
public final class Behaviour {
  /** How the pod's story goes on. */
  enum Kind {
    RUN,
    EXIT,
    EVICT,
    IMAGE_PULL_BACK_OFF,
    STAY_PENDING
  }

  private final Kind kind;
  private final Duration startDelay;
  private final Duration runTime;
  private final int exitCode;
  private final String reason;

  private Behaviour(Kind kind, Duration startDelay, Duration runTime, int exitCode, String reason) {
    this.kind = kind;
    this.startDelay = startDelay;
    this.runTime = runTime;
    this.exitCode = exitCode;
    this.reason = reason;
  }

  private static Behaviour of(Kind kind, Duration runTime, int exitCode, String reason) {
    return new Behaviour(kind, Duration.ZERO, runTime, exitCode, reason);
  }

  /** Starts, gets ready and runs until {@link FakeKubelet#finish} or a deletion. The default. */
  public static Behaviour run() {
    return of(Kind.RUN, Duration.ZERO, 0, "");
  }

  /** Starts, runs for a time, and ends with exit code 0. */
  public static Behaviour succeedAfter(Duration runTime) {
    return of(Kind.EXIT, runTime, 0, "Completed");
  }

  /** Starts, runs for a time, and ends with an exit code (reason {@code Error} unless it is 0). */
  public static Behaviour exitAfter(Duration runTime, int exitCode) {
    return of(Kind.EXIT, runTime, exitCode, exitCode == 0 ? "Completed" : "Error");
  }

  /**
   * Starts, runs for a time, and ends.
   *
   * @param reason the reason in the state of the terminated containers
   */
  public static Behaviour exitAfter(Duration runTime, int exitCode, String reason) {
    return of(Kind.EXIT, runTime, exitCode, reason);
  }

  /** Starts, runs for a time, and is killed for its memory: 137, {@code OOMKilled}. */
  public static Behaviour oomKilledAfter(Duration runTime) {
    return of(Kind.EXIT, runTime, 137, "OOMKilled");
  }

  /**
   * Starts, runs for a time, and is evicted by the node: phase {@code Failed}, reason {@code
   * Evicted}, condition {@code DisruptionTarget} ({@code TerminationByKubelet}), exit code 137.
   */
  public static Behaviour evictedAfter(Duration runTime) {
    return of(Kind.EVICT, runTime, 137, "Error");
  }

  /** Never starts: the containers wait with reason {@code ImagePullBackOff}. */
  public static Behaviour imagePullBackOff() {
    return of(Kind.IMAGE_PULL_BACK_OFF, Duration.ZERO, 0, "ImagePullBackOff");
  }

  /** The node does not report anything about the pod; its deletion is confirmed all the same. */
  public static Behaviour stayPending() {
    return of(Kind.STAY_PENDING, Duration.ZERO, 0, "");
  }

  /** The same, with a time between the binding of the pod and its first report. */
  public Behaviour startingAfter(Duration delay) {
    return new Behaviour(kind, delay, runTime, exitCode, reason);
  }

  Kind kind() {
    return kind;
  }

  Duration startDelay() {
    return startDelay;
  }

  Duration runTime() {
    return runTime;
  }

  int exitCode() {
    return exitCode;
  }

  String reason() {
    return reason;
  }

  @Override
  public String toString() {
    return kind + " after " + runTime + " with " + exitCode + " " + reason;
  }
}
