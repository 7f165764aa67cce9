package dev.tensorstack.training.simulation;

import dev.tensorstack.training.observation.Ledger;

/** Each failure is counted once or belongs to a cascade; nothing else is counted. */
final class FailuresCounted {

  private FailuresCounted() {}

  static void check(Step step) {
    Ledger.Counts wanted = step.wanted().counts();
    Invariants.require(
        wanted.equals(step.plan().ledger().counts()),
        "each failure is counted once, nothing else is",
        "wanted",
        step.wanted(),
        "got",
        step.plan().ledger());
  }
}
