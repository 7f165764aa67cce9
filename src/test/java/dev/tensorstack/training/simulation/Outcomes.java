package dev.tensorstack.training.simulation;

import dev.tensorstack.training.core.model.ReplicaId;
import java.time.Instant;
import java.util.Map;

/** A job ends when it must, for the reason that it says, and not before. */
final class Outcomes {

  private Outcomes() {}

  static void check(Look look, Memory memory) {
    if (look.before.ended()) {
      return;
    }
    if (!look.after.ended()) {
      notMissed(look, memory);
      return;
    }
    Invariants.require(
        look.replaced.isEmpty() && look.attempts() == 0 && look.disruptions() == 0,
        "the end of a job restarts nothing",
        look);
    switch (look.after.endReason()) {
      case "Succeeded" ->
          Invariants.require(
              isDone(look.master()) && !look.before.debugging(),
              "a job succeeds with its master only",
              look);
      case "DeadlineExceeded" ->
          Invariants.require(
              isDue(look) && !look.before.phase().equals("Paused"),
              "a deadline is kept to the second",
              look);
      case "BackoffLimitExceeded" -> {
        Look.Failure named = named(look, memory);
        Invariants.require(
            named != null
                && !look.before.debugging()
                && named.fate().kind() == Fate.Kind.APPLICATION
                && look.restarts(named.id(), named.fate())
                && (look.spent() >= look.spec.runPolicy().backoffLimit()
                    || wasSpent(look, memory, named)),
            "a job fails by its budget when that is used up",
            look);
        notTolerable(look, memory, named);
      }
      case "ReplicaFailed" -> {
        Look.Failure named = named(look, memory);
        Invariants.require(
            named != null && !look.before.debugging() && !look.restarts(named.id(), named.fate()),
            "a job fails with a replica that is not restarted",
            look);
        notTolerable(look, memory, named);
      }
      default -> Invariants.require(false, "a job fails for a reason that it can have", look);
    }
  }

  /** The failure that the status names; at the end it may be one that was tolerated so far. */
  static Look.Failure named(Look look, Memory memory) {
    if (look.after.failure() == null) {
      return null;
    }
    for (Map.Entry<ReplicaId, Fate> one : look.fates.entrySet()) {
      Fate fate = one.getValue();
      if (fate.failed()
          && (look.after.ended() || !memory.tolerated.contains(fate.uid()))
          && look.entry(one.getKey()).name().equals(look.after.failure().pod())) {
        return new Look.Failure(one.getKey(), fate);
      }
    }
    return null;
  }

  /**
   * An elastic job went on without it because the budget was used up then. It stays failed when the
   * limit is raised, and ends the job when fewer than the least number of nodes are left.
   */
  private static boolean wasSpent(Look look, Memory memory, Look.Failure named) {
    return look.before.tolerated().contains(named.id())
        && memory.tolerated.contains(named.fate().uid());
  }

  private static void notTolerable(Look look, Memory memory, Look.Failure named) {
    Invariants.require(
        look.isMaster(named.id()) || !Boolean.TRUE.equals(look.enoughRemain(memory)),
        look.fates.keySet().stream().anyMatch(look::onLostNode)
            ? LostGrace.NAME
            : "an elastic job goes on while enough nodes remain",
        look);
  }

  private static void notMissed(Look look, Memory memory) {
    if (look.stopsTraining()) {
      return;
    }
    Invariants.require(!isDone(look.master()), "the master's success is the job's success", look);
    Invariants.require(!isDue(look), "a deadline fires", look);
    if (look.attempts() > 0 || look.waits(memory)) {
      return;
    }
    for (Look.Failure failure : look.failures(memory)) {
      Invariants.require(
          !failure.fate().certain()
              || look.restarts(failure.id(), failure.fate())
              || !look.after.replicas().containsKey(failure.id())
              || (!look.isMaster(failure.id()) && !Boolean.FALSE.equals(look.enoughRemain(memory))),
          look.or("a replica that is not restarted fails the job"),
          failure,
          look);
    }
  }

  private static boolean isDone(Fate fate) {
    return fate != null && fate.kind() == Fate.Kind.DONE;
  }

  private static boolean isDue(Look look) {
    Long seconds = look.spec.runPolicy().activeDeadlineSeconds();
    Instant start = look.before.start();
    return seconds != null && start != null && !look.now.isBefore(start.plusSeconds(seconds));
  }
}
