package dev.tensorstack.training.core.plan;

import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.model.QueueAnswer;
import dev.tensorstack.training.core.model.QueueEntry;
import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.observe.ObservedPod;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Which of a job's entries lends a pod its share: its owner does, and what has no pod yet takes
 * what is free, of the entry that the job started with first (docs/design/queue.md).
 */
final class QueueShares {

  private final List<QueueEntry> admitted;
  private final CurrentReplicas current;
  private final List<ObservedPod> pods;

  /**
   * The shares of a job.
   *
   * @param admitted its admitted entries, the one that it starts with first
   * @param current its replicas
   * @param over pods that use nothing any more
   */
  QueueShares(List<QueueEntry> admitted, CurrentReplicas current, Predicate<ObservedPod> over) {
    this.admitted = admitted;
    this.current = current;
    this.pods = current.seen().pods().stream().filter(over.negate()).toList();
  }

  /**
   * Whether pods use the share of an entry by which the job has grown. Those that do not say whose
   * share they use count to the entry that the job started with.
   *
   * @param entry any of the job's entries but the first
   */
  boolean isUsed(QueueEntry entry) {
    return pods.stream().anyMatch(pod -> entry.uid().equals(pod.queueEntry()));
  }

  /**
   * How many pods of each type need the share of each admitted entry.
   *
   * @param target by type, how many replicas are to run
   * @return numbers by type for each admitted entry, by its uid; what would be more than it has is
   *     left out
   */
  Map<String, Map<String, Integer>> needs(Map<String, Integer> target) {
    Map<String, Map<String, Integer>> needs = new LinkedHashMap<>();
    Map<String, Integer> open = new LinkedHashMap<>(target);
    for (ObservedPod pod : pods) {
      QueueEntry entry = entryOf(pod);
      String type = pod.replica().type();
      boolean stays = current.layout().contains(pod.replica());
      if (entry != null) {
        needs
            .computeIfAbsent(entry.uid(), any -> new LinkedHashMap<>())
            .merge(type, 1, Integer::sum);
        // One that is more than its entry has is on another's share.
        boolean onItsShare = of(needs, entry, type) <= count(entry, type);
        open.merge(type, stays && onItsShare ? -1 : 0, Integer::sum);
      } else if (!stays && pod.queueEntry() == null) {
        open.merge(type, 1, Integer::sum);
      }
    }
    for (QueueEntry entry : admitted) {
      Map<String, Integer> ofEntry =
          needs.computeIfAbsent(entry.uid(), any -> new LinkedHashMap<>());
      open.replaceAll(
          (type, count) -> {
            int free = Math.max(0, count(entry, type) - ofEntry.getOrDefault(type, 0));
            int taken = Math.max(0, Math.min(count, free));
            ofEntry.merge(type, taken, Integer::sum);
            return count - taken;
          });
    }
    return needs;
  }

  /**
   * The entry of each replica.
   *
   * @return one for each replica of the layout, in its order; without those that need none, or find
   *     none
   */
  Map<ReplicaId, QueueEntry> ofReplicas() {
    Map<String, Map<String, Integer>> free = new LinkedHashMap<>();
    for (QueueEntry entry : admitted) {
      Map<String, Integer> ofEntry = new LinkedHashMap<>();
      current.layout().replicas().forEach(id -> ofEntry.put(id.type(), count(entry, id.type())));
      free.put(entry.uid(), ofEntry);
    }
    Map<ReplicaId, QueueEntry> byReplica = new LinkedHashMap<>();
    for (ObservedPod pod : pods) {
      QueueEntry entry = entryOf(pod);
      if (entry != null) {
        free.computeIfAbsent(entry.uid(), any -> new LinkedHashMap<>())
            .merge(pod.replica().type(), -1, Integer::sum);
        byReplica.put(pod.replica(), entry);
      }
    }
    Map<ReplicaId, QueueEntry> inOrder = new LinkedHashMap<>();
    for (CurrentReplica replica : current.all()) {
      QueueEntry entry = byReplica.get(replica.id());
      if (entry == null) {
        entry = needsNoPod(replica) ? null : firstFree(free, replica.id().type());
      }
      if (entry != null) {
        inOrder.put(replica.id(), entry);
      }
    }
    return inOrder;
  }

  /** Whether a replica is done, or the job goes on without it for good. */
  static boolean needsNoPod(CurrentReplica replica) {
    Ledger.RecordedEnd end = replica.slot().end();
    return replica.done() || (end != null && end.tolerated());
  }

  private @Nullable QueueEntry firstFree(Map<String, Map<String, Integer>> free, String type) {
    for (QueueEntry entry : admitted) {
      Map<String, Integer> ofEntry = free.getOrDefault(entry.uid(), Map.of());
      if (ofEntry.getOrDefault(type, 0) > 0) {
        ofEntry.merge(type, -1, Integer::sum);
        return entry;
      }
    }
    return null;
  }

  /**
   * The replicas that use the shares of entries, or are to.
   *
   * @return those of the layout, in its order, by the uid of the entry
   */
  Map<String, List<CurrentReplica>> replicas() {
    Map<ReplicaId, QueueEntry> entries = ofReplicas();
    Map<String, List<CurrentReplica>> replicas = new LinkedHashMap<>();
    for (CurrentReplica replica : current.all()) {
      QueueEntry entry = entries.get(replica.id());
      if (entry != null) {
        replicas.computeIfAbsent(entry.uid(), any -> new ArrayList<>()).add(replica);
      }
    }
    return replicas;
  }

  private @Nullable QueueEntry entryOf(ObservedPod pod) {
    return admitted.stream()
        .filter(entry -> entry.uid().equals(pod.queueEntry()))
        .findFirst()
        .orElse(null);
  }

  private static int of(Map<String, Map<String, Integer>> numbers, QueueEntry entry, String type) {
    return numbers.getOrDefault(entry.uid(), Map.of()).getOrDefault(type, 0);
  }

  private static int count(QueueEntry entry, String type) {
    QueueAnswer.Share share = entry.answer().share(type);
    return share == null ? 0 : share.count();
  }
}
