package dev.tensorstack.training.engine;

import dev.tensorstack.training.core.model.Violation;
import java.util.List;
import java.util.function.Supplier;

/** What the rules say of the present generation of one job's spec. */
final class ValidationCache {

  private long checkedGeneration = -1;
  private List<Violation> violations = List.of();

  /**
   * What the rules say of a generation of the spec. A generation never changes, so they are asked
   * once.
   *
   * @param rules says it
   * @return what is wrong with it; empty when nothing is
   */
  synchronized List<Violation> violations(long generation, Supplier<List<Violation>> rules) {
    if (generation != checkedGeneration) {
      violations = rules.get();
      checkedGeneration = generation;
    }
    return violations;
  }
}
