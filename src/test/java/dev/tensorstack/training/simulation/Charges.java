package dev.tensorstack.training.simulation;

import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.kind.trainingjob.v1beta1.ReplicaSpec;
import java.util.HashMap;
import java.util.Map;

/**
 * A failure is counted once, by its cause and for its type, and what it costs is done: its pod is
 * replaced, or all are in a new attempt. Nothing else is counted or replaced.
 */
final class Charges {

  private Charges() {}

  static void check(Look look, Memory memory) {
    unchanged(look);
    if (look.before.ended()) {
      return;
    }
    boolean forward = look.backoffs() >= 0 && look.disruptions() >= 0;
    for (ReplicaSpec type : look.spec.replicaSpecs()) {
      forward &= look.restarts(type.type()) >= 0;
    }
    Invariants.require(
        forward && (look.attempts() == 0 || look.attempts() == 1),
        "counts go forward, attempts by one",
        look);
    Invariants.require(
        look.backoffs() == 0 || look.spent() <= look.spec.runPolicy().backoffLimit(),
        "the budget is not passed",
        look);
    if (!look.trained() || look.after.ended()) {
      return;
    }
    if (look.backoffs() == 0
        && look.disruptions() == 0
        && (look.before.mode() == null || look.before.debugging() != look.after.debugging())) {
      return;
    }
    if (look.attempts() == 1) {
      attempt(look, memory);
    } else {
      oneByOne(look, memory);
    }
  }

  /** What is not replaced keeps its pod; what is has one more behind it. */
  private static void unchanged(Look look) {
    if (look.after == look.before) {
      return;
    }
    look.before
        .replicas()
        .forEach(
            (id, entry) -> {
              Stated.Entry next = look.after.replicas().get(id);
              if (next == null) {
                return;
              }
              Invariants.require(
                  next.earlier() >= entry.earlier()
                      && (next.earlier() <= entry.earlier() + 1 || haveBeen(look, id, entry, next)),
                  "a replica gets one pod after the other",
                  id,
                  look);
              Invariants.require(
                  next.earlier() > entry.earlier()
                      || entry.uid() == null
                      || entry.uid().equals(next.uid()),
                  "a pod that the status has listed stays the replica's",
                  id,
                  look);
            });
  }

  /** Pods that no status has listed are counted by their names as well. */
  private static boolean haveBeen(Look look, ReplicaId id, Stated.Entry entry, Stated.Entry next) {
    for (int i = entry.earlier() + 1; i < next.earlier(); i++) {
      if (!look.view.pods().containsKey(TrainingJobResource.NAMES.pod(id.type(), id.index(), i))) {
        return false;
      }
    }
    return true;
  }

  private static void attempt(Look look, Memory memory) {
    boolean switched = look.after.debugging();
    Look.Failure root = Outcomes.named(look, memory);
    Invariants.require(root != null, "an attempt begins with a failure", look);
    Fate fate = root.fate();
    boolean application = fate.kind() == Fate.Kind.APPLICATION;
    Invariants.require(
        look.restarts(root.id(), fate)
            && (switched
                || look.scopeJob()
                || look.isMaster(root.id())
                || look.closesTheRing(root.id(), fate)),
        "an attempt begins when all pods have to be restarted",
        root,
        look);
    int applications = 0;
    int disruptions = 0;
    int again = 0;
    for (Look.Failure failure : look.failures(memory)) {
      applications += failure.fate().kind() == Fate.Kind.APPLICATION ? 1 : 0;
      disruptions += failure.fate().kind() == Fate.Kind.DISRUPTION ? 1 : 0;
    }
    for (Map.Entry<ReplicaId, Fate> one : look.fates.entrySet()) {
      again += look.startsAgain(one.getKey(), one.getValue()) ? 1 : 0;
    }
    int most = look.scopeJob() ? 1 : look.failures(memory).size();
    int counted = look.backoffs() + look.disruptions();
    // When debug is switched on at the same moment, the failures are counted one by one, and the
    // one that is told of may be one that an elastic job goes on without.
    Invariants.require(
        counted <= most
            && (switched ? counted : application ? look.backoffs() : look.disruptions()) >= 1
            && look.backoffs() <= applications
            && look.disruptions() <= disruptions,
        look.fates.keySet().stream().anyMatch(look::onLostNode)
            ? LostGrace.NAME
            : "the failures of an attempt cost one restart, by the cause of the first",
        root,
        look);
    Invariants.require(
        (switched || look.restarts(root.id().type()) >= 1)
            && look.restarts() >= counted
            && look.restarts() <= counted + again,
        "a restart is its type's",
        root,
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

  private static void oneByOne(Look look, Memory memory) {
    int applications = 0;
    int disruptions = 0;
    int unlisted = 0;
    Map<String, Integer> restarts = new HashMap<>();
    for (ReplicaId id : look.replaced) {
      Fate fate = look.fates.get(id);
      boolean right =
          switch (fate.kind()) {
            case NONE, LIVE -> false;
            case STOPPED, STRAY -> true;
            case DONE -> look.startsAgain(id, fate);
            case APPLICATION, DISRUPTION ->
                !look.scopeJob()
                    && look.restarts(id, fate)
                    && !look.isMaster(id)
                    && !look.closesTheRing(id, fate)
                    && !memory.tolerated.contains(fate.uid());
          };
      Invariants.require(
          right,
          look.onLostNode(id) ? LostGrace.NAME : "a pod is replaced for a reason",
          id,
          fate,
          look);
      // What was deleted before the status has listed it was not the job's yet.
      unlisted += look.entry(id).uid() == null && !fate.certain() ? 1 : 0;
      applications += fate.kind() == Fate.Kind.APPLICATION ? 1 : 0;
      disruptions += fate.kind() == Fate.Kind.DISRUPTION ? 1 : 0;
      if (fate.failed() || fate.kind() == Fate.Kind.DONE) {
        restarts.merge(id.type(), 1, Integer::sum);
      }
    }
    int off = disruptions - look.disruptions();
    boolean counted = look.backoffs() == applications && off >= 0 && off <= unlisted;
    for (ReplicaSpec type : look.spec.replicaSpecs()) {
      int free = restarts.getOrDefault(type.type(), 0) - look.restarts(type.type());
      off -= free;
      counted &= free >= 0;
    }
    counted &= off == 0;
    Invariants.require(counted, "each failure is counted once, nothing else is", look);
    look.fates.forEach((id, fate) -> notMissed(look, memory, id, fate));
  }

  private static void notMissed(Look look, Memory memory, ReplicaId id, Fate fate) {
    if (look.replaced.contains(id)
        || !look.after.replicas().containsKey(id)
        || look.stopsTraining()) {
      return;
    }
    if (look.startsAgain(id, fate)) {
      Invariants.require(
          !look.failures(memory).isEmpty() && look.waits(memory),
          "Always starts a replica that is done again",
          id,
          look);
    }
    if (!fate.failed()
        || !fate.certain()
        || memory.tolerated.contains(fate.uid())
        || !look.restarts(id, fate)
        || look.waits(memory)) {
      return;
    }
    boolean over =
        fate.kind() == Fate.Kind.APPLICATION
            && look.spent() >= look.spec.runPolicy().backoffLimit();
    Invariants.require(
        over && !look.isMaster(id) && !Boolean.FALSE.equals(look.enoughRemain(memory)),
        look.or(over ? "over the limit a failure is terminal" : "a failure is not passed over"),
        id,
        fate,
        look);
  }
}
