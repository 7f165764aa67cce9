package dev.tensorstack.training.core.plan;

import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.observe.Observation;
import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.core.policy.PodFailure;
import dev.tensorstack.training.core.policy.ReplicaLayout;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The replicas that shall exist, each with its present pod: the one of the ledger, else the newest
 * that is seen. Made once for a ledger and a layout; the plan carries it.
 */
public final class CurrentReplicas {

  private final Observation seen;
  private final Ledger ledger;
  private final ReplicaLayout layout;
  private final List<CurrentReplica> all;

  private CurrentReplicas(
      Observation seen, Ledger ledger, ReplicaLayout layout, List<CurrentReplica> all) {
    this.seen = seen;
    this.ledger = ledger;
    this.layout = layout;
    this.all = all;
  }

  /** Finds the present pods of a layout's replicas. */
  static CurrentReplicas of(Observation seen, Ledger ledger, ReplicaLayout layout) {
    return new CurrentReplicas(seen, ledger, layout, find(seen, ledger, layout));
  }

  /**
   * The same replicas by another ledger.
   *
   * @param next what is to be remembered of the same job
   * @return with other pods where the ledger names others
   */
  CurrentReplicas with(Ledger next) {
    boolean samePods =
        next.slots().equals(ledger.slots())
            && next.removed().equals(ledger.removed())
            && next.unlisted().equals(ledger.unlisted());
    return new CurrentReplicas(seen, next, layout, samePods ? all : find(seen, next, layout));
  }

  /** What they were derived from. */
  Observation seen() {
    return seen;
  }

  /** The ledger that they were derived from. */
  Ledger ledger() {
    return ledger;
  }

  /**
   * Which replicas these are.
   *
   * @return the replicas by type, with their ranks
   */
  public ReplicaLayout layout() {
    return layout;
  }

  /**
   * All of them.
   *
   * @return one for each replica of the layout, in its order
   */
  public List<CurrentReplica> all() {
    return all;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof CurrentReplicas that && all.equals(that.all);
  }

  @Override
  public int hashCode() {
    return all.hashCode();
  }

  @Override
  public String toString() {
    return all.toString();
  }

  private static List<CurrentReplica> find(Observation seen, Ledger ledger, ReplicaLayout layout) {
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
      if (pod != null && (slot.isOther(pod.uid()) || isOfBefore(seen, pod, slot))) {
        // A creation of an operator that was killed came after the listed pod was gone; or the
        // pod of before has the same name, and is still there.
        pod = null;
      }
      ObservedPod last = pod == null ? last(seen.notes().ended().get(name), slot) : null;
      replicas.add(
          new CurrentReplica(
              id,
              name,
              withPod(slot, pod, last),
              pod,
              last,
              pod == null && seen.creating().contains(name)));
    }
    return replicas;
  }

  private static boolean isOfBefore(Observation seen, ObservedPod pod, Ledger.Slot slot) {
    return seen.job().spec().traits().reusesPodNames() && pod.earlierPods() != slot.earlierPods();
  }

  /** A removed pod as it was seen last, if it is the slot's. */
  private static @Nullable ObservedPod last(@Nullable ObservedPod ended, Ledger.Slot slot) {
    return ended == null || slot.uid() == null || slot.isOther(ended.uid()) ? null : ended;
  }

  private static Ledger.Slot withPod(
      Ledger.Slot slot, @Nullable ObservedPod pod, @Nullable ObservedPod last) {
    if (pod != null) {
      return new Ledger.Slot(slot.earlierPods(), pod.uid(), null, slot.end(), slot.restarts());
    }
    return last == null || slot.end() != null ? slot : slot.ended(PodFailure.end(last));
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
    // Also on its way out: what scaling takes away is in the ledger before it goes.
    return new Ledger.Slot(newest.earlierPods(), null, null);
  }
}
