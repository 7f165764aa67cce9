package dev.tensorstack.training.core.plan;

import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.observe.Observation;
import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.core.policy.ReplicaLayout;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Scaling down is a decision: it is stored, with the number of pods that each removed replica has
 * had, before any pod goes. Else an operator that is killed in between would take the pods it
 * stopped itself for deleted by somebody, and a replica that comes back would get a name of before.
 * One that never had a pod is forgotten.
 */
final class RemovedReplicas {

  private RemovedReplicas() {}

  /**
   * Writes down what is not wanted any more.
   *
   * @return the same ledger when there is nothing new to remember
   */
  static Ledger remember(CurrentReplicas current, Instant now) {
    Observation seen = current.seen();
    Ledger ledger = current.ledger();
    ReplicaLayout layout = current.layout();
    Map<ReplicaId, Ledger.Slot> removed = new LinkedHashMap<>();
    ledger
        .slots()
        .forEach(
            (id, slot) -> {
              if (!layout.contains(id)) {
                int pods = slot.uid() == null ? slot.earlierPods() : slot.earlierPods() + 1;
                removed.put(id, new Ledger.Slot(pods, null, null));
              }
            });
    ledger
        .replicas()
        .forEach(
            (type, indexes) -> {
              for (int index : indexes) {
                ReplicaId id = new ReplicaId(type, index);
                if (!layout.contains(id)) {
                  removed.putIfAbsent(id, new Ledger.Slot(1, null, null));
                }
              }
            });
    for (ObservedPod pod : seen.pods()) {
      if (!layout.contains(pod.replica())) {
        removed.merge(
            pod.replica(),
            new Ledger.Slot(pod.earlierPods() + 1, null, null),
            (a, b) -> a.earlierPods() >= b.earlierPods() ? a : b);
      }
    }
    removed
        .entrySet()
        .removeIf(one -> one.getValue().earlierPods() == 0 && !isOnItsWay(seen, one.getKey(), 0));
    boolean known =
        removed.keySet().equals(ledger.removed())
            && ledger.slots().keySet().stream()
                .allMatch(id -> layout.contains(id) || removed.containsKey(id))
            && removed.entrySet().stream()
                .allMatch(one -> one.getValue().equals(ledger.slots().get(one.getKey())));
    if (known) {
      return ledger;
    }
    Map<ReplicaId, Ledger.Slot> slots = new LinkedHashMap<>();
    for (CurrentReplica replica : current.all()) {
      slots.put(replica.id(), replica.slot());
    }
    slots.putAll(removed);
    Ledger next = ledger.withSlots(slots, removed.keySet());
    boolean ran =
        seen.pods().stream()
            .anyMatch(
                pod ->
                    pod.live()
                        && pod.node() != null
                        && removed.containsKey(pod.replica())
                        && !ledger.removed().contains(pod.replica()));
    return ran ? next.shrunk(now) : next;
  }

  /**
   * Gives removed replicas the next name in a new attempt, where a creation of the present name is
   * on its way: its pod is one of the attempt before, and must not be taken for one of the new
   * attempt when the replica comes back.
   *
   * @param stored the ledger as stored
   * @param decided the ledger with what was decided at this look
   * @return the decided ledger when nothing of the attempt before is on its way, or none has begun
   */
  static Ledger inNextAttempt(Observation seen, Ledger stored, Ledger decided) {
    if (decided.counts().attempt() == stored.counts().attempt()) {
      return decided;
    }
    Map<ReplicaId, Ledger.Slot> left = new LinkedHashMap<>();
    for (ReplicaId id : decided.removed()) {
      Ledger.Slot slot = decided.slots().get(id);
      if (slot != null && isOnItsWay(seen, id, slot.earlierPods())) {
        left.put(id, slot.replaced(null));
      }
    }
    return left.isEmpty() ? decided : decided.withSlots(left);
  }

  /** A pod whose creation was sent may be seen later, and is then one that nobody wants. */
  private static boolean isOnItsWay(Observation seen, ReplicaId id, int earlierPods) {
    return !seen.creating().isEmpty()
        && seen.creating().contains(seen.job().names().pod(id.type(), id.index(), earlierPods));
  }
}
