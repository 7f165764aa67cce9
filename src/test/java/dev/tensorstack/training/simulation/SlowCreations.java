package dev.tensorstack.training.simulation;

/**
 * In one history of five the API server takes long for each pod, and few creations are under way at
 * once: the others wait in the operator, where they can be called back. Chance of its own, so that
 * the other histories are what they are without it.
 */
final class SlowCreations {

  private static final int ONE_IS_SLOW_OF = 5;
  private static final int MOST_AT_ONCE = 3;

  private final Luck luck;
  private final boolean on;
  private final int width;

  SlowCreations(long seed) {
    luck = new Luck(~seed);
    on = seed % ONE_IS_SLOW_OF == 2;
    width = on ? 1 + luck.below(MOST_AT_ONCE) : Integer.MAX_VALUE;
  }

  void calm() {
    luck.calm();
  }

  /** Whether creations take long. */
  boolean isOn() {
    return on;
  }

  /** How many creations are under way at once. */
  int width() {
    return width;
  }

  /** Whether a creation begins between a look at the job and the plan that is made of it. */
  boolean meanwhile() {
    return on && luck.chance(30);
  }
}
