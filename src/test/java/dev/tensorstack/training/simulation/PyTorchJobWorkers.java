package dev.tensorstack.training.simulation;

/** A job has the replicas that its user asks for: of too many Workers the highest index goes. */
final class PyTorchJobWorkers {

  private PyTorchJobWorkers() {}

  static void check(PyTorchJobLook look) {
    Invariants.require(
        look.after.ended()
            || look.after.pausing()
            || look.after.replicas().keySet().equals(look.wanted()),
        "a job has the replicas that are asked for",
        look);
  }
}
