package dev.tensorstack.training.simulation;

/** A job is deleted at the end of its time to live, and not before. */
final class JobDeletion {

  private JobDeletion() {}

  static void check(Look look) {
    Integer ttl = look.spec.runPolicy().ttlSecondsAfterFinished();
    Invariants.require(
        ttl != null
            && look.after.completion() != null
            && !look.now.isBefore(look.after.completion().plusSeconds(ttl)),
        "a job is deleted at the end of its time to live",
        look);
  }
}
