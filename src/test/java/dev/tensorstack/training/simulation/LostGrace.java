package dev.tensorstack.training.simulation;

/**
 * What is on a lost node is given up after its grace, and not before. The grace counts from the
 * later of the loss and the pod's creation: a replacement that lands there has one of its own.
 */
final class LostGrace {

  static final String NAME =
      "a lost node's grace counts from the later of its loss and the pod's creation";

  private LostGrace() {}

  static void check(Look look) {
    look.fates.forEach(
        (id, fate) -> {
          boolean blamed =
              look.after.failure() != null
                  && !look.after.failure().equals(look.before.failure())
                  && look.entry(id).name().equals(look.after.failure().pod());
          Invariants.require(!blamed || fate.failed() || !look.onLostNode(id), NAME, id, look);
        });
  }
}
