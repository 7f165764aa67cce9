package dev.tensorstack.training.simulation;

import dev.tensorstack.training.core.ledger.StoredLedger;
import dev.tensorstack.training.core.model.ReplicaId;
import java.time.Instant;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * A job ends when it must, for the reason that it says, and not before: by its success rule, its
 * deadline, a replica that does not come back, or one restart more than the limit allows.
 */
final class PyTorchJobOutcomes {

  private PyTorchJobOutcomes() {}

  static void check(PyTorchJobLook look, Memory memory, InPlaceCounts inPlace) {
    if (look.before.ended()) {
      return;
    }
    Integer limit = look.limit();
    Invariants.require(
        look.after.ended()
            || look.endingAfter != null
            || limit == null
            || look.backoffs() == 0
            || look.after.backoff() <= limit,
        "limit n allows n restarts, and not one more",
        look);
    if (!look.after.ended()) {
      if (!look.suspends()) {
        noneTooMany(look, inPlace);
        notMissed(look, memory);
        about(look, memory, inPlace);
      }
      return;
    }
    switch (look.after.endReason()) {
      case "Succeeded" ->
          Invariants.require(look.hasSucceeded(), "a job succeeds by its success rule only", look);
      case "DeadlineExceeded" ->
          Invariants.require(
              isDue(look) && !look.before.phase().equals("Suspended"),
              "a deadline is counted from startTime",
              look);
      case "BackoffLimitExceeded" ->
          Invariants.require(
              look.endingBefore != null
                  || (limit != null && wouldBe(look, memory, inPlace) > limit),
              "limit n allows n restarts, and not one more",
              look);
      case "ReplicaFailed" ->
          Invariants.require(
              look.failures(memory).stream()
                  .anyMatch(one -> !Boolean.TRUE.equals(look.comesBack(one.id(), one.fate()))),
              "a job fails with a replica that does not come back",
              look);
      default -> Invariants.require(false, "a job fails for a reason that it can have", look);
    }
  }

  /** How many restarts there would be, were all that happened restarted. */
  private static long wouldBe(PyTorchJobLook look, Memory memory, InPlaceCounts inPlace) {
    long failures =
        look.failures(memory).stream()
            .filter(one -> one.fate().kind() == Fate.Kind.APPLICATION)
            .filter(one -> Boolean.TRUE.equals(look.comesBack(one.id(), one.fate())))
            .count();
    return paid(look, inPlace) + Math.max(failures, look.backingOff.isEmpty() ? 0 : 1);
  }

  /** The restarts that there have been. */
  private static int paid(PyTorchJobLook look, InPlaceCounts inPlace) {
    return look.before.backoff()
        + inPlace.fresh(look).values().stream().mapToInt(Integer::intValue).sum();
  }

  /**
   * A container that has ended when all restarts that the limit allows are used up is not started
   * again: the job ends, at once or, where a replica may have made it succeed in the same moment, a
   * moment later.
   */
  private static void noneTooMany(PyTorchJobLook look, InPlaceCounts inPlace) {
    Integer limit = look.limit();
    // What scaling takes away at the same moment is gone.
    Set<ReplicaId> ended = new HashSet<>(look.backingOff);
    ended.retainAll(look.after.replicas().keySet());
    Invariants.require(
        limit == null
            || ended.isEmpty()
            || paid(look, inPlace) < limit
            || (look.endingAfter != null
                && ended.stream().allMatch(id -> look.after.replicas().get(id).calledEnded())),
        "a container that ends once the limit is used up is not started again",
        look);
  }

  /**
   * None of these containers says that another one is to blame, so the end waits only for a replica
   * that may have made the job succeed, and not for long.
   */
  private static void about(PyTorchJobLook look, Memory memory, InPlaceCounts inPlace) {
    StoredLedger.Ending ending = look.endingAfter;
    Invariants.require(
        look.endingBefore == null || ending != null, "a job that is about to end ends", look);
    if (ending == null) {
      return;
    }
    Invariants.require(
        look.endingBefore != null || wouldBe(look, memory, inPlace) > look.limit(),
        "limit n allows n restarts, and not one more",
        look);
    Invariants.require(
        look.fates.entrySet().stream()
                .anyMatch(
                    one ->
                        one.getValue().live()
                            && !look.after.replicas().get(one.getKey()).calledEnded()
                            && (!look.hasMaster() || look.isMaster(one.getKey())))
            && look.now.isBefore(
                Instant.parse(ending.since()).plus(look.failureGrace).plus(Contract.CUT)),
        "the end of a job waits for a replica that may have made it succeed, and not for long",
        look);
    Invariants.require(
        look.replaced.isEmpty() && look.attempts() == 0,
        "a job that is about to end restarts nothing",
        look);
  }

  private static void notMissed(PyTorchJobLook look, Memory memory) {
    Invariants.require(!look.hasSucceeded(), "a job succeeds by its success rule", look);
    Invariants.require(!isDue(look) || look.endingBefore != null, "a deadline fires", look);
    if (look.attempts() > 0 || look.endingAfter != null || look.waits(memory)) {
      return;
    }
    for (Map.Entry<ReplicaId, Fate> one : look.fates.entrySet()) {
      Fate fate = one.getValue();
      ReplicaId id = one.getKey();
      if (!fate.failed() || !fate.certain() || !look.after.replicas().containsKey(id)) {
        continue;
      }
      Boolean comesBack = look.comesBack(id, fate);
      Invariants.require(
          comesBack == null || comesBack,
          look.or("a replica that does not come back fails the job"),
          id,
          fate,
          look);
      Invariants.require(
          look.replaced.contains(id), look.or("a failure is not passed over"), id, fate, look);
    }
  }

  private static boolean isDue(PyTorchJobLook look) {
    Instant deadline = look.deadline();
    return deadline != null && !look.now.isBefore(deadline);
  }
}
