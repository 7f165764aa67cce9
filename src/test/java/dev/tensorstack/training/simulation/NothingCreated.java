package dev.tensorstack.training.simulation;

import dev.tensorstack.training.observation.Ledger;
import dev.tensorstack.training.plan.PlannedAction;

/** No pod is created after the end of a job, or in a pause. */
final class NothingCreated {

  private NothingCreated() {}

  static void check(PlannedAction.CreatePod create, Step step) {
    Ledger ledger = step.plan().ledger();
    Invariants.require(
        step.view().job().ledger().outcome() == null && ledger.outcome() == null,
        "nothing is created after the end",
        create);
    Invariants.require(
        ledger.pause() != Ledger.Pause.PAUSED && ledger.pause() != Ledger.Pause.PAUSING,
        "nothing is created in a pause",
        create);
  }
}
