package dev.tensorstack.training.kubectl.terminal;

/**
 * Whether the process is being ended from outside, as by Ctrl-C. What breaks from then on, such as
 * connections that are closed, is no news.
 */
public final class Ending {

  private static volatile boolean begun;

  private Ending() {}

  /** Watches out for it, from now on. */
  public static void watch() {
    Runtime.getRuntime().addShutdownHook(new Thread(() -> begun = true, "ending"));
  }

  /**
   * Whether it has begun.
   *
   * @return true once the process is being ended, also by itself
   */
  public static boolean hasBegun() {
    return begun;
  }
}
