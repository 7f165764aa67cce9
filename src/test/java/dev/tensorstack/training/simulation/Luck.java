package dev.tensorstack.training.simulation;

import java.util.List;
import java.util.SplittableRandom;

/** Chance, all of it from one seed; in the end nothing goes wrong any more. */
final class Luck {

  private final SplittableRandom random;
  private boolean quiet;

  Luck(long seed) {
    random = new SplittableRandom(seed);
  }

  void calm() {
    quiet = true;
  }

  /** Whether something that happens in {@code percent} of all cases happens now. */
  boolean chance(int percent) {
    return !quiet && random.nextInt(100) < percent;
  }

  int below(int bound) {
    return random.nextInt(bound);
  }

  <T> T of(List<T> things) {
    return things.get(random.nextInt(things.size()));
  }

  @SafeVarargs
  final <T> T of(T... things) {
    return things[random.nextInt(things.length)];
  }
}
