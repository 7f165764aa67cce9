package dev.tensorstack.training.simulation;

import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobStatus;
import dev.tensorstack.training.kind.trainingjob.v1beta1.ReplicaAggregate;
import java.util.Map;

/** What a status says of the pods is so, and its sums are right. */
final class Claims {

  private Claims() {}

  static void check(Look look, PyTorchTrainingJobStatus status, Memory memory) {
    ReplicaAggregate sums = status.aggregate();
    int[] counted = new int[7];
    int well = 0;
    for (Map.Entry<ReplicaId, Stated.Entry> one : look.after.replicas().entrySet()) {
      Stated.Entry entry = one.getValue();
      int kind =
          switch (entry.phase()) {
            case "Creating" -> 0;
            case "Pending" -> 1;
            case "Running" -> 2;
            case "Succeeded" -> 3;
            case "Failed" -> 4;
            case "Unknown" -> 5;
            default -> 6;
          };
      counted[kind]++;
      well += kind == 2 || kind == 3 ? 1 : 0;
      isSo(look, one.getKey(), entry);
    }
    Invariants.require(
        counted[0] == sums.creating()
            && counted[1] == sums.pending()
            && counted[2] == sums.running()
            && counted[3] == sums.succeeded()
            && counted[4] == sums.failed()
            && counted[5] == sums.unknown()
            && counted[6] == sums.deleted(),
        "the aggregate adds up the replicas",
        sums,
        look);
    int wanted =
        look.spec.elasticOn() ? look.spec.elastic().minReplicas() : look.after.replicas().size();
    Invariants.require(
        // While its pods stop for a pause, a job is what it was (docs/concepts.md, Debug and
        // pause); in debug mode, a pod that ends is created again.
        !look.after.phase().equals("Running")
            || look.after.pausing()
            || well >= wanted
            || (look.spec.debugOn() && counted[2] > 0),
        "a job is Running when enough of it run or are done",
        look);
    boolean unknown = isMasterUnknown(look);
    Invariants.require(
        unknown
            || isMasterGivenUpUndecided(look, memory)
            || look.after.pausing()
            || !look.after.phase().equals("Unknown"),
        "Unknown is a job whose master's state cannot be known",
        look);
    Invariants.require(
        !unknown || !look.trains() || look.after.ended() || look.after.phase().equals("Unknown"),
        "Unknown is a job whose master's state cannot be known",
        look);
  }

  private static void isSo(Look look, ReplicaId id, Stated.Entry entry) {
    Fate fate = look.replaced.contains(id) ? null : look.fates.get(id);
    if (fate == null || !look.trains() || look.after.ended()) {
      return;
    }
    PodVersion seen = look.view.pods().get(entry.name());
    boolean is = seen != null && seen.pod().uid().equals(fate.uid());
    boolean right =
        switch (entry.phase()) {
          case "Running" -> is && seen.pod().phase() == ObservedPod.Phase.RUNNING;
          case "Succeeded" -> fate.kind() == Fate.Kind.DONE;
          case "Failed" -> fate.failed() || fate.kind() == Fate.Kind.STOPPED;
          default -> true;
        };
    Invariants.require(right, "a replica's phase is its pod's", id, entry.phase(), look);
  }

  /**
   * Its grace is over, and the decision waits for that of another that may be the cause, or for
   * pods that end because of another failure.
   */
  private static boolean isMasterGivenUpUndecided(Look look, Memory memory) {
    return look.fates.containsKey(look.masterId())
        && look.master().kind() == Fate.Kind.DISRUPTION
        && isMasterOnLostNode(look)
        && look.waits(memory);
  }

  /** Its node is lost, and its grace runs. */
  private static boolean isMasterUnknown(Look look) {
    return isMasterOnLostNode(look)
        && (look.fates.get(look.masterId()).live() || look.master().kind() == Fate.Kind.STOPPED);
  }

  /** Nothing is decided on it, and nobody can see how it gets on. */
  private static boolean isMasterOnLostNode(Look look) {
    Stated.Entry entry = look.before.replicas().get(look.masterId());
    PodVersion seen = entry == null ? null : look.view.pods().get(entry.name());
    return seen != null
        && !seen.pod().ended()
        && look.attempts() == 0
        && !look.replaced.contains(look.masterId())
        && seen.pod().node() != null
        && look.view.lostNodes().containsKey(seen.pod().node());
  }
}
