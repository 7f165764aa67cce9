package dev.tensorstack.training.core.plan;

import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.observe.Observation;
import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.core.policy.ReplicaLayout;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Finds the present pod of each replica: the one of the ledger, else the newest that is seen. */
final class CurrentReplicas {

  private CurrentReplicas() {}

  /**
   * Finds them.
   *
   * @return the replicas of the layout, in its order
   */
  static List<CurrentReplica> of(Observation seen, Ledger ledger, ReplicaLayout layout) {
    Map<ReplicaId, ObservedPod> newest = new LinkedHashMap<>();
    for (ObservedPod pod : seen.pods()) {
      newest.merge(pod.replica(), pod, (a, b) -> a.earlierPods() >= b.earlierPods() ? a : b);
    }
    Map<String, ObservedPod> byName = seen.podsByName();
    Map<String, Set<Integer>> known = ledger.replicas();
    List<CurrentReplica> replicas = new ArrayList<>(layout.size());
    for (ReplicaId id : layout.replicas()) {
      Ledger.Slot slot = slot(id, ledger, newest.get(id), known);
      String name = seen.job().names().pod(id.type(), id.index(), slot.earlierPods());
      ObservedPod pod = byName.get(name);
      if (pod != null && slot.isOther(pod.uid())) {
        // A creation of an operator that was killed came after the listed pod was gone.
        pod = null;
      }
      replicas.add(
          new CurrentReplica(
              id,
              name,
              pod == null ? slot : new Ledger.Slot(slot.earlierPods(), pod.uid(), null, slot.end()),
              pod,
              pod == null && seen.creating().contains(name)));
    }
    return replicas;
  }

  private static Ledger.Slot slot(
      ReplicaId id, Ledger ledger, @Nullable ObservedPod newest, Map<String, Set<Integer>> known) {
    Ledger.Slot listed = ledger.slots().get(id);
    if (listed != null) {
      return listed;
    }
    if (newest == null) {
      boolean ran = known.getOrDefault(id.type(), Set.of()).contains(id.index());
      return new Ledger.Slot(0, ran ? Ledger.Slot.NOT_LISTED : null, null);
    }
    // A pod on its way out that no status speaks of was taken away by scaling down.
    boolean leaving = newest.deleting() && !ledger.unlisted().containsKey(id.type());
    return new Ledger.Slot(leaving ? newest.earlierPods() + 1 : newest.earlierPods(), null, null);
  }
}
