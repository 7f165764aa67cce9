package dev.tensorstack.training.simulation;

import java.util.Objects;

/** Nothing changes after Failed or Succeeded. */
final class PyTorchJobEnd {

  private PyTorchJobEnd() {}

  static void check(PyTorchJobLook look) {
    Stated after = look.after;
    Invariants.require(
        after.ended() == (after.completion() != null),
        "a job has a completionTime when it has ended, well or badly",
        look);
    if (!look.before.ended()) {
      return;
    }
    Invariants.require(
        look.statusBefore.conditions().equals(look.statusAfter.conditions())
            && Objects.equals(look.statusBefore.startTime(), look.statusAfter.startTime())
            && look.statusBefore.completionTime().equals(look.statusAfter.completionTime()),
        "nothing changes after Failed or Succeeded",
        look);
    Invariants.require(
        look.free() && look.attempts() == 0 && look.replaced.isEmpty(),
        "an ended job counts nothing",
        look);
    Invariants.require(
        !look.before.succeeded()
            || look.statusBefore.replicaStatuses().equals(look.statusAfter.replicaStatuses()),
        "nothing changes after Failed or Succeeded",
        look);
  }
}
