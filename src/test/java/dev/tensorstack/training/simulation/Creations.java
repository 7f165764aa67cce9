package dev.tensorstack.training.simulation;

import dev.tensorstack.training.core.plan.PlannedAction;

/** What is created is what the status asks for: not after the end, not in a pause. */
final class Creations {

  private Creations() {}

  static void check(PlannedAction.CreatePod create, Look look) {
    Stated said = look.after;
    Invariants.require(
        !said.ended() && !look.before.ended(), "nothing is created after the end", create);
    Invariants.require(!said.pausing(), "nothing is created in a pause", create);
    Stated.Entry entry = said.replicas().get(create.replica());
    Invariants.require(
        entry != null
            && entry.earlier() == create.earlierPods()
            && entry.name().equals(create.name())
            && said.attempt() == create.attempt()
            && create.mode() == said.mode(),
        "the pod that the status asks for is created",
        create,
        look);
  }
}
