package dev.tensorstack.training.e2e;

import java.time.Duration;

/** How long something took, for those who read the log of a run. */
final class Timing {

  private final long begin = System.nanoTime();

  private Timing() {}

  /** Begins now. */
  static Timing start() {
    return new Timing();
  }

  /** The time since it began. */
  Duration elapsed() {
    return Duration.ofNanos(System.nanoTime() - begin);
  }

  /**
   * Prints the time since it began.
   *
   * @param what took so long
   */
  void report(String what) {
    System.out.printf("e2e: %.1f s: %s%n", elapsed().toMillis() / 1000.0, what);
  }
}
