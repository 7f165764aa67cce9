package dev.tensorstack.training.simulation;

import dev.tensorstack.training.core.plan.PlannedAction;

/** What is done follows from a decision that is stored: a crash in between must not lose it. */
final class DecisionFirst {

  private DecisionFirst() {}

  static void check(PlannedAction action, JobLook look, Stated stored) {
    Invariants.require(
        follows(action, look.after, look.before) || follows(action, look.after, stored),
        "a decision is stored before anything is done because of it",
        action,
        look,
        "stored",
        stored);
  }

  private static boolean follows(PlannedAction action, Stated planned, Stated stored) {
    return planned.sameDecisions(stored)
        && (!(action instanceof PlannedAction.CreatePod create)
            || stored.earlierOf(create.replica()) == create.earlierPods());
  }
}
