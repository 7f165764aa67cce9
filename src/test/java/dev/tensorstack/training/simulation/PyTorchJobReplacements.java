package dev.tensorstack.training.simulation;

import dev.tensorstack.training.core.model.ReplicaId;

/**
 * A replica that failed and may come back gets another pod, alone, or all do where the job asks for
 * that. A worker that is done is not run again; what lives is left alone.
 */
final class PyTorchJobReplacements {

  private PyTorchJobReplacements() {}

  static void check(PyTorchJobLook look, Memory memory) {
    if (look.before.ended() || look.after == look.before || look.before.pausing()) {
      return;
    }
    look.before.replicas().forEach((id, entry) -> onePodAfterTheOther(look, id, entry));
    if (look.after.ended()) {
      Invariants.require(
          look.replaced.isEmpty() && look.attempts() == 0,
          "the end of a job restarts nothing",
          look);
      return;
    }
    if (look.attempts() == 1) {
      attempt(look, memory);
      return;
    }
    for (ReplicaId id : look.replaced) {
      Fate fate = look.fates.get(id);
      boolean right =
          switch (fate.kind()) {
            case NONE, LIVE -> false;
            case STOPPED, STRAY -> true;
            case DONE -> false;
            case APPLICATION, DISRUPTION ->
                look.wasNeverListed(id)
                    || (!look.scopeJob && !Boolean.FALSE.equals(look.comesBack(id, fate)));
          };
      Invariants.require(
          right,
          fate.kind() == Fate.Kind.DONE
              ? "a worker that is done is not run again"
              : "a pod is replaced for a reason",
          id,
          fate,
          look);
    }
  }

  private static void onePodAfterTheOther(PyTorchJobLook look, ReplicaId id, Stated.Entry entry) {
    Stated.Entry next = look.after.replicas().get(id);
    if (next == null) {
      return;
    }
    Invariants.require(
        next.earlier() == entry.earlier() || next.earlier() == entry.earlier() + 1,
        "a replica gets one pod after the other",
        id,
        look);
    Invariants.require(
        next.earlier() > entry.earlier() || entry.uid() == null || entry.uid().equals(next.uid()),
        "a pod that the status has listed stays the replica's",
        id,
        look);
    Invariants.require(
        look.after.ended()
            || next.earlier() > entry.earlier()
            || !entry.calledEnded()
            || next.phase().equals(entry.phase()),
        "what has ended stays ended",
        id,
        look);
  }

  private static void attempt(PyTorchJobLook look, Memory memory) {
    Invariants.require(
        look.scopeJob
            && look.failures(memory).stream()
                .anyMatch(one -> !Boolean.FALSE.equals(look.comesBack(one.id(), one.fate()))),
        "all pods start anew when one fails and the job asks for it",
        look);
    look.before
        .replicas()
        .forEach(
            (id, entry) ->
                Invariants.require(
                    entry.uid() == null
                        || look.replaced.contains(id)
                        || !look.after.replicas().containsKey(id),
                    "an attempt replaces all pods",
                    id,
                    look));
  }
}
