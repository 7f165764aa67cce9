package dev.tensorstack.training.simulation;

import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.kind.trainingjob.v1beta1.ReplicaSpec;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * A job has the replicas that it wishes for. While a ring is formed no running node leaves it;
 * otherwise what is wished is done at once. What works leaves last, and the master never.
 */
final class Scaling {

  /** When nodes last came or went; all of it is in the record. */
  private Instant changed = Instant.MIN;

  /** The nodes that ran at the look before, and when they were seen to be others. */
  private Set<String> ran = Set.of();

  private Instant seenChanged = Instant.MIN;

  /** When the job was first seen to have more nodes than are wished; null when it has not. */
  private Instant surplusSince;

  private final Cluster cluster;

  Scaling(Cluster cluster) {
    this.cluster = cluster;
  }

  void planned(Look look) {
    if (look.after.ended()) {
      return;
    }
    if (look.spec.elasticOn()) {
      see(look);
    }
    Map<String, Integer> counts = counts(look.after);
    Invariants.require(
        look.after.replicas().containsKey(new ReplicaId(look.spec.replicaSpecs().get(0).type(), 0)),
        "the master stays",
        look);
    if (!look.spec.elasticOn() || look.before.replicas().isEmpty()) {
      Invariants.require(
          Layout.isWished(look.spec, counts), "as many nodes as are wished", counts, look);
      return;
    }
    Invariants.require(
        look.after.replicas().size() <= look.spec.elastic().maxReplicas(),
        "no more nodes than the most",
        look);
    ringIsLeftAlone(look);
    failuresAreDecidedFirst(look);
    boolean tooMany = hasTooMany(look, counts);
    surplusSince = !tooMany ? null : surplusSince == null ? look.now : surplusSince;
    if (look.trains()) {
      workersStay(look);
    }
    if (!Layout.isWished(look.spec, counts)) {
      mayWait(look, counts);
    }
  }

  private static boolean hasTooMany(Look look, Map<String, Integer> counts) {
    int[] wished = Layout.wished(look.spec);
    for (int i = 0; i < wished.length; i++) {
      if (counts.getOrDefault(look.spec.replicaSpecs().get(i).type(), 0) > wished[i]) {
        return true;
      }
    }
    return false;
  }

  private void see(Look look) {
    Set<String> run = new HashSet<>();
    for (ReplicaId id : look.before.replicas().keySet()) {
      ObservedPod pod = running(look, id);
      if (pod != null) {
        run.add(pod.uid());
      }
    }
    if (!run.equals(ran)) {
      ran = run;
      seenChanged = look.now;
    }
  }

  /** A status was stored: what it says of the nodes is a change of the ring. */
  void stored(Look look) {
    boolean same =
        look.replaced.isEmpty()
            && look.after.replicas().keySet().equals(look.before.replicas().keySet());
    if (!same) {
      changed = look.now;
    }
  }

  static Map<String, Integer> counts(Stated stated) {
    Map<String, Integer> counts = new HashMap<>();
    for (ReplicaId id : stated.replicas().keySet()) {
      counts.merge(id.type(), 1, Integer::sum);
    }
    return counts;
  }

  /** It runs, as far as is known. */
  private static ObservedPod running(Look look, ReplicaId id) {
    PodVersion seen = look.view.pods().get(look.entry(id).name());
    boolean runs =
        seen != null
            && seen.pod().live()
            && seen.pod().phase() == ObservedPod.Phase.RUNNING
            && look.fates.get(id).live();
    return runs ? seen.pod() : null;
  }

  /** When a node last joined the ring that is seen. */
  private Instant joined(Look look) {
    Instant last = Instant.MIN;
    for (ReplicaId id : look.before.replicas().keySet()) {
      ObservedPod pod = running(look, id);
      Instant from = pod == null ? null : cluster.everCreated(pod.uid()).ranFrom();
      last = from != null && from.isAfter(last) ? from : last;
    }
    return last;
  }

  private void ringIsLeftAlone(Look look) {
    if (!look.trains() || look.attempts() > 0) {
      return;
    }
    if (surplusSince != null
        && !look.now.isBefore(surplusSince.plus(Contract.LONGEST_RING_WAIT).minus(Contract.CUT))) {
      return;
    }
    Instant joined = joined(look);
    look.before
        .replicas()
        .forEach(
            (id, entry) ->
                Invariants.require(
                    look.after.replicas().containsKey(id)
                        || running(look, id) == null
                        || look.onLostNode(id)
                        || joined == Instant.MIN
                        || !look.now.plus(Contract.CUT).isBefore(joined.plus(Contract.RING_GRACE)),
                    "no running node leaves while a ring is being formed",
                    id,
                    "the last joined at",
                    joined,
                    look));
  }

  /** What starts all pods anew would be forgotten with its replica. */
  private static void failuresAreDecidedFirst(Look look) {
    if (!look.trains() || look.spec.pauseOn() || look.spec.debugOn()) {
      return;
    }
    for (ReplicaId id : look.before.replicas().keySet()) {
      Invariants.require(
          look.after.replicas().containsKey(id)
              || !look.fates.get(id).certain()
              || look.fates.get(id).kind() != Fate.Kind.APPLICATION
              || !isToBeDecided(look, id),
          "a failure that starts all pods anew is decided before its replica leaves",
          id,
          look);
    }
  }

  /** It stays until it is decided that all pods start anew because of it. */
  private static boolean isToBeDecided(Look look, ReplicaId id) {
    Fate fate = look.fates.get(id);
    return fate != null
        && fate.failed()
        && look.attempts() == 0
        && !look.before.tolerated().contains(id)
        && !look.staysFailed(id, fate)
        && (look.scopeJob() || look.closesTheRing(id, fate));
  }

  /** Nothing that works goes while something of its type that does not work stays. */
  private static void workersStay(Look look) {
    look.before
        .replicas()
        .forEach(
            (id, entry) -> {
              Fate.Kind kind = look.fates.get(id).kind();
              if (look.after.replicas().containsKey(id) || kind != Fate.Kind.LIVE) {
                return;
              }
              for (ReplicaId other : look.before.replicas().keySet()) {
                boolean stays =
                    other.type().equals(id.type())
                        && look.after.replicas().containsKey(other)
                        && !look.isMaster(other)
                        && !isToBeDecided(look, other);
                int better = usefulness(look, id) - usefulness(look, other);
                Invariants.require(
                    !stays
                        || better < 0
                        || (better == 0
                            && (usefulness(look, id) < 3 || id.index() > other.index())),
                    "not scheduled leaves first, then not ready, then the highest index",
                    id,
                    "left and stayed",
                    other,
                    look);
              }
            });
  }

  private static int usefulness(Look look, ReplicaId id) {
    PodVersion seen = look.view.pods().get(look.entry(id).name());
    Fate.Kind kind = look.fates.get(id).kind();
    if (kind == Fate.Kind.NONE) {
      return 1;
    }
    if (seen == null || kind != Fate.Kind.LIVE) {
      return 2;
    }
    if (seen.pod().node() == null) {
      return 1;
    }
    return seen.pod().readySince() == null || look.onLostNode(id) ? 2 : 3;
  }

  /** Another number than the wished one is right only while the ring that was changed is formed. */
  private void mayWait(Look look, Map<String, Integer> counts) {
    Instant last = joined(look);
    last = changed.isAfter(last) ? changed : last;
    last = seenChanged.isAfter(last) ? seenChanged : last;
    for (SimulatedPod pod : cluster.everCreated()) {
      // A node that left has left once its pod has stopped.
      if (!look.before.replicas().containsKey(pod.replica)) {
        Instant left = left(pod, look.now);
        last = left.isAfter(last) ? left : last;
      }
    }
    int[] wished = Layout.wished(look.spec);
    boolean surplus = false;
    for (int i = 0; i < wished.length; i++) {
      ReplicaSpec type = look.spec.replicaSpecs().get(i);
      int more = counts.getOrDefault(type.type(), 0) - wished[i];
      surplus |= more > 0;
      for (ReplicaId id : look.after.replicas().keySet()) {
        more -= id.type().equals(type.type()) && isToBeDecided(look, id) ? 1 : 0;
      }
      if (more <= 0) {
        continue;
      }
      for (ReplicaId id : look.after.replicas().keySet()) {
        Invariants.require(
            !id.type().equals(type.type()) || look.isMaster(id) || !isIdle(look, id),
            "what does not run leaves at once",
            id,
            look);
      }
    }
    boolean forming =
        last != Instant.MIN && look.now.isBefore(last.plus(Contract.RING_GRACE).plus(Contract.CUT));
    Invariants.require(
        forming, "what is wished is done once the ring is formed", counts, "last", last, look);
    Invariants.require(surplus, "missing nodes are created at once", counts, look);
  }

  private Instant left(SimulatedPod pod, Instant now) {
    if (pod.stoppedAt() != null) {
      return pod.stoppedAt();
    }
    return cluster.isLost(pod)
        ? Contract.givenUpAt(cluster.lostNodes().get(pod.node()), pod.createdAt)
        : now;
  }

  /** It has no pod, or one that waits or starts. */
  private static boolean isIdle(Look look, ReplicaId id) {
    Fate fate = look.fates.get(id);
    if (fate == null) {
      return false;
    }
    PodVersion seen = look.view.pods().get(look.entry(id).name());
    return fate.kind() == Fate.Kind.NONE
        || (fate.kind() == Fate.Kind.LIVE && seen.pod().phase() == ObservedPod.Phase.PENDING);
  }
}
