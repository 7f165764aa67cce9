package dev.tensorstack.training.simulation;

import dev.tensorstack.training.core.plan.PlannedAction;

/** What is created is what the status asks for: not after the end, not while suspended. */
final class PyTorchJobCreations {

  private PyTorchJobCreations() {}

  static void check(PlannedAction.CreatePod create, PyTorchJobLook look) {
    Stated said = look.after;
    Invariants.require(
        !said.ended() && !look.before.ended(), "nothing is created after the end", create);
    Invariants.require(
        !said.pausing() && !look.spec.suspended(), "a suspended job has no pods", create);
    Stated.Entry entry = said.replicas().get(create.replica());
    Invariants.require(
        entry != null
            && entry.earlier() == create.earlierPods()
            && entry.name().equals(create.name())
            && said.attempt() == create.attempt(),
        "the pod that the status asks for is created",
        create,
        look);
  }
}
