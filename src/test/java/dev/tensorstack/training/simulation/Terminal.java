package dev.tensorstack.training.simulation;

import java.util.Objects;

/** Terminal stays terminal. */
final class Terminal {

  private Terminal() {}

  static void check(Look look) {
    Stated before = look.before;
    Stated after = look.after;
    Invariants.require(
        after.ended() == (after.completion() != null)
            && after.ended()
                == (after.phase().equals("Succeeded") || after.phase().equals("Failed"))
            && after.succeeded() == after.phase().equals("Succeeded"),
        "a job that has ended says so everywhere",
        look);
    if (!before.ended()) {
      return;
    }
    Invariants.require(
        before.endReason().equals(after.endReason())
            && before.completion().equals(after.completion()),
        "terminal stays terminal",
        look);
    Invariants.require(
        look.free()
            && look.attempts() == 0
            && look.replaced.isEmpty()
            && Objects.equals(before.failure(), after.failure()),
        "an ended job counts nothing",
        look);
  }
}
