package dev.tensorstack.training.simulation;

import dev.tensorstack.training.core.plan.Plan;
import dev.tensorstack.training.core.plan.Planner;
import java.util.List;

/** The same world gives the same plan and the same status. */
final class SamePlan {

  private SamePlan() {}

  static void check(Step step, Planner planner) {
    View view = step.view();
    Plan again = planner.plan(view.observation(), List.of(), view.now());
    Invariants.require(step.plan().equals(again), "the same world gives the same plan", again);
    Invariants.require(
        Operator.report(view, again, view.now()).saysTheSame(step.next()),
        "the same world gives the same status",
        again);
  }
}
