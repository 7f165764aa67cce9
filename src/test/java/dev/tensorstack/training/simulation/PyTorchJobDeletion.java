package dev.tensorstack.training.simulation;

/** A job is deleted at the end of its time to live, after Failed too, and not before. */
final class PyTorchJobDeletion {

  private PyTorchJobDeletion() {}

  static void check(PyTorchJobLook look) {
    Integer ttl =
        look.spec.runPolicy() == null ? null : look.spec.runPolicy().ttlSecondsAfterFinished();
    Invariants.require(
        ttl != null
            && look.after.completion() != null
            && !look.now.isBefore(look.after.completion().plusSeconds(ttl)),
        "a job is deleted at the end of its time to live",
        look);
  }
}
