package dev.tensorstack.training.simulation;

import dev.tensorstack.training.observation.Ledger;
import dev.tensorstack.training.observation.ReplicaId;
import dev.tensorstack.training.plan.PlannedAction;
import java.util.Map;
import java.util.Objects;

/** What is done follows from a decision that is stored: a crash in between must not lose it. */
final class DecisionFirst {

  private DecisionFirst() {}

  static void check(PlannedAction action, Step step, JobVersion stored) {
    Ledger planned = step.plan().ledger();
    Invariants.require(
        agree(planned, step.view().job().ledger()) || agree(planned, stored.ledger()),
        "a decision is stored before anything is done because of it",
        action,
        "planned",
        planned,
        "stored",
        stored.ledger());
  }

  private static boolean agree(Ledger planned, Ledger stored) {
    return planned.counts().equals(stored.counts())
        && (planned.outcome() != null || planned.pause() == stored.pause())
        && Objects.equals(
            planned.outcome() == null ? null : planned.outcome().reason(),
            stored.outcome() == null ? null : stored.outcome().reason())
        && agree(planned.slots(), stored.slots());
  }

  private static boolean agree(
      Map<ReplicaId, Ledger.Slot> planned, Map<ReplicaId, Ledger.Slot> stored) {
    for (Map.Entry<ReplicaId, Ledger.Slot> one : planned.entrySet()) {
      Ledger.Slot other = stored.get(one.getKey());
      int pods = one.getValue().earlierPods();
      if (other == null ? pods > 0 : pods != other.earlierPods()) {
        return false;
      }
    }
    return true;
  }
}
