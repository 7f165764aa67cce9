package dev.tensorstack.training.simulation;

import dev.tensorstack.training.observation.Ledger;
import dev.tensorstack.training.observation.ReplicaId;

/** A pod is replaced for a reason, and whenever there is one. */
final class Replacements {

  private Replacements() {}

  static void check(Step step) {
    if (step.wanted().end() != null || step.view().job().ledger().outcome() != null) {
      return;
    }
    for (ReplicaId id : step.wanted().replicas()) {
      Ledger.Slot slot = step.plan().ledger().slots().get(id);
      int wanted = step.wanted().earlierPods(id);
      Invariants.require(
          slot == null ? wanted == 0 || isOnlySeen(step, id) : slot.earlierPods() == wanted,
          "a pod is replaced only for a reason",
          id,
          "wanted k=",
          wanted,
          "got",
          step.plan().ledger());
    }
  }

  /** As long as nothing is decided, the pods themselves say how many there were. */
  private static boolean isOnlySeen(Step step, ReplicaId id) {
    return step.view().pods().values().stream().anyMatch(pod -> pod.pod().replica().equals(id));
  }
}
