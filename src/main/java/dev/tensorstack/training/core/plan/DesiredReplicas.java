package dev.tensorstack.training.core.plan;

import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.model.JobSpec;
import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.model.RunModeKind;
import dev.tensorstack.training.core.observe.Observation;
import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.core.policy.ElasticIndexes;
import dev.tensorstack.training.core.policy.ElasticIndexes.PodReadiness;
import dev.tensorstack.training.core.policy.ReplicaLayout;
import dev.tensorstack.training.core.policy.ScaleDownStabilization;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The replicas that a job shall have now. Those of an elastic job depend on which it has: when it
 * shrinks, those that work are touched last, and when it grows, the others stay what they are.
 */
final class DesiredReplicas {

  private DesiredReplicas() {}

  /**
   * Finds them.
   *
   * @param ledger the ledger as stored
   * @return as many of each type as the spec wants now; those that the job has, when a node would
   *     leave a ring that is just being formed
   */
  static ReplicaLayout of(Observation seen, Ledger ledger, Instant now) {
    JobSpec spec = seen.job().spec();
    ReplicaLayout wanted = wanted(seen, ledger);
    if (spec.elastic() == null) {
      return wanted;
    }
    Map<String, Map<Integer, PodReadiness>> present = present(seen, ledger);
    Set<ReplicaId> leaving = leaving(seen, ledger, present, wanted);
    // Without the master, which hosts the rendezvous, there is no ring; nor may a layout lack it.
    boolean noRing = !present.getOrDefault(spec.types().get(0).name(), Map.of()).containsKey(0);
    return leaving.isEmpty() || noRing || !isRingForming(seen, ledger, now)
        ? wanted
        : heldBack(spec, wanted, present, leaving);
  }

  /**
   * The replicas that the spec wants, whether or not a ring is being formed: those of a new
   * attempt.
   *
   * @param ledger the ledger as stored
   * @return as many of each type as the spec wants now
   */
  static ReplicaLayout wanted(Observation seen, Ledger ledger) {
    JobSpec spec = seen.job().spec();
    if (spec.elastic() == null) {
      return ReplicaLayout.of(spec);
    }
    Map<String, Map<Integer, PodReadiness>> present = present(seen, ledger);
    String first = spec.types().get(0).name();
    List<ReplicaId> replicas = new ArrayList<>();
    ReplicaLayout.counts(spec)
        .forEach(
            (type, count) ->
                ElasticIndexes.choose(
                        count, present.getOrDefault(type, Map.of()), type.equals(first))
                    .forEach(index -> replicas.add(new ReplicaId(type, index))));
    return ReplicaLayout.of(spec, replicas);
  }

  /**
   * Whether replicas are to leave that may not leave yet.
   *
   * @param layout the replicas of this moment
   * @return true when a type has more than the spec wants
   */
  static boolean holdsBack(Observation seen, ReplicaLayout layout) {
    JobSpec spec = seen.job().spec();
    if (spec.elastic() == null) {
      return false;
    }
    Map<String, Integer> wanted = ReplicaLayout.counts(spec);
    Map<String, Integer> present = new HashMap<>();
    layout.replicas().forEach(id -> present.merge(id.type(), 1, Integer::sum));
    return present.entrySet().stream()
        .anyMatch(one -> one.getValue() > wanted.getOrDefault(one.getKey(), 0));
  }

  /**
   * When nodes leave that cannot leave yet.
   *
   * @param layout the replicas of this moment
   * @param ledger the ledger, which says since when they wait
   * @return the moment; null when there are none
   */
  static @Nullable Instant nextShrink(
      Observation seen, ReplicaLayout layout, Ledger ledger, Instant now) {
    if (!holdsBack(seen, layout)) {
      return null;
    }
    if (ScaleDownStabilization.isOver(ledger.shrinkWaitingSince(), now)) {
      return null; // What is left waits for a decision, which has a moment of its own.
    }
    Instant formed = ScaleDownStabilization.until(lastChange(seen, ledger), now);
    Instant latest = ScaleDownStabilization.latest(ledger.shrinkWaitingSince());
    return formed == null || (latest != null && latest.isBefore(formed)) ? latest : formed;
  }

  /** Running pods that the spec does not want any more, and that may stay for a while. */
  private static Set<ReplicaId> leaving(
      Observation seen,
      Ledger ledger,
      Map<String, Map<Integer, PodReadiness>> present,
      ReplicaLayout wanted) {
    Set<ReplicaId> leaving = new HashSet<>();
    QueueState queue = QueueState.of(seen);
    for (ObservedPod pod : seen.pods()) {
      ReplicaId id = pod.replica();
      // The next job has its share, or waits for it: it leaves whatever the others do.
      if (isInRing(pod, ledger)
          && !queue.isWithoutShare(pod)
          && !wanted.contains(id)
          && present.getOrDefault(id.type(), Map.of()).containsKey(id.index())) {
        leaving.add(id);
      }
    }
    return leaving;
  }

  /**
   * A layout with some replicas more.
   *
   * @param ledger the ledger as stored
   * @param wanted the layout
   * @param kept replicas that the job has and is not to lose yet
   * @return with those as well, and with fewer new ones, so that there are not more than the job
   *     has or shall have
   */
  static ReplicaLayout keeping(
      Observation seen, Ledger ledger, ReplicaLayout wanted, Set<ReplicaId> kept) {
    return heldBack(seen.job().spec(), wanted, present(seen, ledger), kept);
  }

  /**
   * The layout while no running node may leave: what does not run leaves at once, and what is new
   * comes only in the place of what has left, so that there are never more nodes than wanted.
   */
  private static ReplicaLayout heldBack(
      JobSpec spec,
      ReplicaLayout wanted,
      Map<String, Map<Integer, PodReadiness>> present,
      Set<ReplicaId> leaving) {
    Set<ReplicaId> kept = new HashSet<>(leaving);
    List<ReplicaId> added = new ArrayList<>();
    for (ReplicaId id : wanted.replicas()) {
      if (present.getOrDefault(id.type(), Map.of()).containsKey(id.index())) {
        kept.add(id);
      } else {
        added.add(id);
      }
    }
    int free = Math.max(0, wanted.size() - kept.size());
    kept.addAll(added.subList(0, Math.min(free, added.size())));
    List<ReplicaId> replicas = new ArrayList<>();
    for (String type : ReplicaLayout.counts(spec).keySet()) {
      kept.stream()
          .filter(id -> id.type().equals(type))
          .sorted(Comparator.comparing(ReplicaId::index))
          .forEach(replicas::add);
    }
    return ReplicaLayout.of(spec, replicas);
  }

  /**
   * A pod of an earlier attempt is in no ring, and neither is one that was given up for another,
   * even while it is still to be stopped.
   */
  private static boolean isInRing(ObservedPod pod, Ledger ledger) {
    return pod.live()
        && pod.phase() == ObservedPod.Phase.RUNNING
        && pod.attempt() >= ledger.counts().attempt()
        && !isReplaced(pod, ledger);
  }

  /** Whether a replica that the job has got another pod after this one. */
  private static boolean isReplaced(ObservedPod pod, Ledger ledger) {
    Ledger.Slot slot = ledger.slots().get(pod.replica());
    return slot != null
        && pod.earlierPods() < slot.earlierPods()
        && !ledger.removed().contains(pod.replica());
  }

  /** Nodes have just come or gone, or are still on their way out. Debug pods form no ring. */
  private static boolean isRingForming(Observation seen, Ledger ledger, Instant now) {
    if (ledger.mode() == RunModeKind.DEBUG
        || ScaleDownStabilization.isOver(ledger.shrinkWaitingSince(), now)) {
      return false;
    }
    return ScaleDownStabilization.until(lastChange(seen, ledger), now) != null
        || (ledger.shrunkAt() != null
            && seen.pods().stream()
                .anyMatch(
                    pod ->
                        pod.deleting()
                            && !pod.ended()
                            && pod.lostSince() == null
                            && ledger.removed().contains(pod.replica())));
  }

  /**
   * When a node last left the ring or began to run in it; null when there is none. Readiness does
   * not count: a pod that is not ready for a while is still in the ring.
   */
  private static @Nullable Instant lastChange(Observation seen, Ledger ledger) {
    Instant last = ledger.shrunkAt();
    for (ObservedPod pod : seen.pods()) {
      if (isInRing(pod, ledger)) {
        Instant since = Objects.requireNonNullElse(pod.runningSince(), pod.createdAt());
        last = last == null || since.isAfter(last) ? since : last;
      }
    }
    return last;
  }

  /**
   * The replicas of a job that has ended: what the spec says afterwards changes nothing. Those
   * count as well whose pods are seen at the end though no status has listed them: one of them may
   * be why the job has failed.
   *
   * @param ledger the ledger as stored
   * @return those that it had; those that the spec wants if it never had any
   */
  static ReplicaLayout ofEnded(Observation seen, Ledger ledger) {
    JobSpec spec = seen.job().spec();
    Map<String, Set<Integer>> present = new HashMap<>(ledger.replicas());
    if (spec.elastic() != null) {
      present.clear();
      present(seen, ledger)
          .forEach((type, indexes) -> present.put(type, new HashSet<>(indexes.keySet())));
    }
    boolean endsNow = seen.job().ledger().outcome() == null;
    if (endsNow && !present.isEmpty()) {
      seen.pods().stream()
          .map(ObservedPod::replica)
          .filter(id -> !ledger.removed().contains(id))
          .forEach(
              id -> present.computeIfAbsent(id.type(), any -> new HashSet<>()).add(id.index()));
    }
    return present.isEmpty() ? ReplicaLayout.of(spec) : layout(spec, present);
  }

  private static ReplicaLayout layout(JobSpec spec, Map<String, Set<Integer>> present) {
    List<ReplicaId> replicas = new ArrayList<>();
    for (String type : ReplicaLayout.counts(spec).keySet()) {
      present.getOrDefault(type, Set.of()).stream()
          .sorted()
          .forEach(index -> replicas.add(new ReplicaId(type, index)));
    }
    return ReplicaLayout.of(spec, replicas);
  }

  /** The replicas that the job has, in the ledger or, before that speaks of them, as pods. */
  private static Map<String, Map<Integer, PodReadiness>> present(Observation seen, Ledger ledger) {
    Map<String, Map<Integer, PodReadiness>> present = new LinkedHashMap<>();
    ledger
        .replicas()
        .forEach(
            (type, indexes) ->
                indexes.forEach(
                    index ->
                        present
                            .computeIfAbsent(type, any -> new LinkedHashMap<>())
                            .put(index, PodReadiness.NOT_SCHEDULED)));
    QueueState queue = QueueState.of(seen);
    for (ObservedPod pod : seen.pods()) {
      if (isReplaced(pod, ledger)) {
        continue;
      }
      ReplicaId id = pod.replica();
      Map<Integer, PodReadiness> ofType =
          present.computeIfAbsent(id.type(), any -> new LinkedHashMap<>());
      boolean listed = ofType.containsKey(id.index());
      if (listed || !(pod.deleting() || ledger.removed().contains(id))) {
        PodReadiness readiness = readinessOf(pod);
        if (pod.live() && queue.isWithoutShare(pod)) {
          ofType.put(id.index(), PodReadiness.WITHOUT_SHARE);
        } else {
          ofType.merge(id.index(), readiness, (a, b) -> a.compareTo(b) >= 0 ? a : b);
        }
      }
    }
    present.values().removeIf(Map::isEmpty);
    return present;
  }

  private static PodReadiness readinessOf(ObservedPod pod) {
    if (!pod.live() || pod.node() == null) {
      return PodReadiness.NOT_SCHEDULED;
    }
    if (pod.phase() != ObservedPod.Phase.RUNNING) {
      return PodReadiness.STARTING;
    }
    // Whoever is on a lost node is not ready, also before its status says so.
    return pod.readySince() == null || pod.lostSince() != null
        ? PodReadiness.NOT_READY
        : PodReadiness.READY;
  }
}
