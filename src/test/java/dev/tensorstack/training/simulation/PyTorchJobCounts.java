package dev.tensorstack.training.simulation;

import dev.tensorstack.training.core.model.ReplicaId;
import java.util.HashMap;
import java.util.Map;

/**
 * Each restart by a kubelet and each replacement after a failure of the application counts exactly
 * once, whoever is killed and whatever pod is lost. Disruptions cost nothing, and nothing else is
 * counted.
 */
final class PyTorchJobCounts {

  private static final String ONCE = "every restart counts exactly once, and nothing else";

  private PyTorchJobCounts() {}

  static void check(PyTorchJobLook look, Memory memory, InPlaceCounts inPlace) {
    if (look.before.ended()) {
      return;
    }
    Invariants.require(
        look.backoffs() >= 0
            && look.disruptions() >= 0
            && look.restarts("master") >= 0
            && look.restarts("worker") >= 0
            && (look.attempts() == 0 || look.attempts() == 1),
        "counts go forward, attempts by one",
        look);
    if (!look.trained()) {
      return;
    }
    Map<ReplicaId, Integer> fresh = inPlace.fresh(look);
    int restarted = fresh.values().stream().mapToInt(Integer::intValue).sum();
    if (look.after.ended()) {
      long failures =
          look.failures(memory).stream()
              .filter(failure -> failure.fate().kind() == Fate.Kind.APPLICATION)
              .count();
      Invariants.require(
          look.backoffs() <= restarted + failures && look.disruptions() == 0,
          "the end of a job counts no more than has happened",
          look);
    } else if (look.attempts() == 1) {
      attempt(look, memory);
    } else {
      oneByOne(look, fresh, restarted);
    }
  }

  /** All pods start anew, which costs one restart, or none after a disruption. */
  private static void attempt(PyTorchJobLook look, Memory memory) {
    boolean application = false;
    boolean disruption = false;
    for (JobLook.Failure failure : look.failures(memory)) {
      application |= failure.fate().kind() == Fate.Kind.APPLICATION;
      disruption |= failure.fate().kind() == Fate.Kind.DISRUPTION;
    }
    Invariants.require(
        look.backoffs() + look.disruptions() == 1
            && look.restarts() == 1
            && (application || look.backoffs() == 0)
            && (disruption || look.disruptions() == 0),
        "the failures of an attempt cost one restart, or nothing after a disruption",
        look);
  }

  private static void oneByOne(PyTorchJobLook look, Map<ReplicaId, Integer> fresh, int restarted) {
    int applications = 0;
    int disruptions = 0;
    int unlisted = 0;
    Map<String, Integer> byType = new HashMap<>();
    fresh.forEach((id, times) -> byType.merge(id.type(), times, Integer::sum));
    for (ReplicaId id : look.replaced) {
      Fate fate = look.fates.get(id);
      unlisted += look.wasNeverListed(id) ? 1 : 0;
      applications += fate.kind() == Fate.Kind.APPLICATION ? 1 : 0;
      disruptions += fate.kind() == Fate.Kind.DISRUPTION ? 1 : 0;
      if (fate.failed()) {
        byType.merge(id.type(), 1, Integer::sum);
      }
    }
    int free = disruptions - look.disruptions();
    Invariants.require(
        look.backoffs() == applications + restarted && free >= 0 && free <= unlisted,
        ONCE,
        applications,
        "replaced after a failure,",
        fresh,
        "in place",
        look);
    int missing = 0;
    for (String type : new String[] {"master", "worker"}) {
      int off = byType.getOrDefault(type, 0) - look.restarts(type);
      Invariants.require(off >= 0, ONCE, type, byType, look);
      missing += off;
    }
    Invariants.require(missing == free, "a restart is its type's", byType, look);
  }
}
