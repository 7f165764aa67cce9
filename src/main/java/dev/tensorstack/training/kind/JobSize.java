package dev.tensorstack.training.kind;

/** How large a job may be, of whatever kind. */
public final class JobSize {

  /**
   * The most pods that a job may ask for: with so many it is shown to work, and its status to fit
   * (docs/decisions.md).
   */
  public static final int MOST_PODS = 10_000;

  /** Why there are not more, to go on after a number. */
  public static final String WHY =
      ", because a job's state is kept in one object: write fewer, or make several jobs";

  /** The most containers of a pod, init containers included. */
  public static final int MOST_CONTAINERS = 64;

  /** The most containers of all pods of a job. */
  public static final long MOST_CONTAINERS_TOGETHER = 100_000;

  private JobSize() {}
}
