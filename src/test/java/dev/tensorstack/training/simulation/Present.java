package dev.tensorstack.training.simulation;

import dev.tensorstack.training.observation.Ledger;
import dev.tensorstack.training.observation.ObservedPod;
import dev.tensorstack.training.observation.ReplicaId;
import dev.tensorstack.training.observation.RunModeKind;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Each replica's present pod, by what the status says and what the operator saw. */
final class Present {

  private final View view;
  private final Ledger before;
  private final List<ReplicaId> replicas;
  private final Map<ReplicaId, Integer> earlierPods = new HashMap<>();
  private final Map<ReplicaId, PodVersion> pods = new HashMap<>();

  Present(View view, Ledger before, List<ReplicaId> replicas) {
    this.view = view;
    this.before = before;
    this.replicas = replicas;
    Map<ReplicaId, PodVersion> newest = new HashMap<>();
    for (PodVersion pod : view.pods().values()) {
      newest.merge(
          pod.pod().replica(),
          pod,
          (a, b) -> a.pod().earlierPods() > b.pod().earlierPods() ? a : b);
    }
    for (ReplicaId id : replicas) {
      Ledger.Slot slot = before.slots().get(id);
      int k = slot != null ? slot.earlierPods() : ofUnlisted(newest.get(id));
      earlierPods.put(id, k);
      PodVersion pod = view.pods().get(JobVersion.NAMES.pod(id.type(), id.index(), k));
      boolean other =
          pod != null && slot != null && slot.uid() != null && !slot.uid().equals(pod.pod().uid());
      if (pod != null && !other) {
        pods.put(id, pod);
      }
    }
  }

  private int ofUnlisted(PodVersion newest) {
    if (newest == null) {
      return 0;
    }
    int k = newest.pod().earlierPods();
    return isLeaving(newest) ? k + 1 : k;
  }

  /** On its way out, for all the operator knows. */
  private boolean isLeaving(PodVersion pod) {
    return view.observation().pods().stream()
        .anyMatch(seen -> seen.uid().equals(pod.pod().uid()) && seen.deleting());
  }

  /** The present pod as seen; null when there is none. */
  PodVersion pod(ReplicaId id) {
    return pods.get(id);
  }

  /** How many pods the replica has had before the present one. */
  int earlierPods(ReplicaId id) {
    return earlierPods.get(id);
  }

  /** The uid of the present pod, or of the listed one that is gone; null when none is known. */
  String uid(ReplicaId id) {
    PodVersion pod = pods.get(id);
    Ledger.Slot slot = before.slots().get(id);
    return pod != null ? pod.pod().uid() : slot == null ? null : slot.uid();
  }

  /** Whether a pod of the present name exists, existed or is being created. */
  boolean used(ReplicaId id) {
    return uid(id) != null
        || view.observation()
            .creating()
            .contains(JobVersion.NAMES.pod(id.type(), id.index(), earlierPods(id)));
  }

  /** Whether its creation came after its attempt had ended: it is replaced, not judged. */
  boolean late(ReplicaId id) {
    PodVersion pod = pods.get(id);
    return pod != null && pod.pod().attempt() < before.counts().attempt();
  }

  /** What the pods are for; null when there are none and the status does not say. */
  RunModeKind mode() {
    if (before.mode() != null) {
      return before.mode();
    }
    return replicas.stream()
        .map(pods::get)
        .filter(Objects::nonNull)
        .map(pod -> pod.pod().mode())
        .findFirst()
        .orElse(null);
  }

  /** Whether a pod that has not ended is on a node that was lost before a moment. */
  boolean isAnyLost(Instant moment) {
    for (PodVersion version : pods.values()) {
      ObservedPod pod = version.pod();
      Instant lost = pod.node() == null ? null : view.lostNodes().get(pod.node());
      if (!pod.ended() && !pod.deleting() && lost != null && !lost.isAfter(moment)) {
        return true;
      }
    }
    return false;
  }
}
