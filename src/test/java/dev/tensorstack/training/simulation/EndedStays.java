package dev.tensorstack.training.simulation;

import dev.tensorstack.training.core.model.ReplicaId;
import java.util.Objects;

/** What the status has called ended stays ended, though its pod is removed later. */
final class EndedStays {

  static final String NO_NEW_FAILURE = "what has ended stays ended: it is no new failure";

  private EndedStays() {}

  static void check(Look look, Memory memory) {
    if (!look.trained() || look.after == look.before) {
      return;
    }
    look.before
        .replicas()
        .forEach(
            (id, entry) -> {
              Stated.Entry next = look.after.replicas().get(id);
              if (entry.calledEnded() && next != null) {
                check(look, memory, id, entry, next);
              }
            });
  }

  private static void check(
      Look look, Memory memory, ReplicaId id, Stated.Entry entry, Stated.Entry next) {
    Fate fate = look.fates.get(id);
    boolean done = entry.phase().equals("Succeeded");
    boolean said = look.after.failure() != null && entry.name().equals(look.after.failure().pod());
    Invariants.require(
        done
            || fate.kind() != Fate.Kind.APPLICATION
            || ((!said || look.after.failure().cause().equals("Application"))
                && (look.attempts() > 0
                    || next.earlier() == entry.earlier()
                    || look.backoffs() > 0)),
        "what has ended stays ended: its cause",
        id,
        look);
    if (!done && !memory.tolerated.contains(fate.uid())) {
      return;
    }
    if (done && look.startsAgain(id, fate)) {
      return;
    }
    boolean blamed =
        said
            && (done || !look.after.ended())
            && ((look.attempts() > 0 && !look.free())
                || !Objects.equals(look.after.failure(), look.before.failure()));
    Invariants.require(
        !blamed && (look.attempts() > 0 || next.earlier() == entry.earlier()),
        NO_NEW_FAILURE,
        id,
        look);
    Invariants.require(
        look.attempts() > 0
            || look.after.ended()
            || !look.trains()
            || next.phase().equals(entry.phase()),
        "what has ended stays ended: its phase",
        id,
        entry.phase(),
        "became",
        next.phase(),
        look);
  }
}
