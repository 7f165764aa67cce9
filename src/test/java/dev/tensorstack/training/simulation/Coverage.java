package dev.tensorstack.training.simulation;

import java.util.EnumMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** How many histories of each kind have come to what; said at the end of many. */
final class Coverage {

  private final Map<SimulatedKind, Map<String, Integer>> counts =
      new EnumMap<>(SimulatedKind.class);

  /** A history has been lived through. */
  synchronized void add(SimulatedKind kind, Set<String> reached) {
    Map<String, Integer> ofKind = counts.computeIfAbsent(kind, any -> new TreeMap<>());
    ofKind.merge(" all", 1, Integer::sum);
    reached.forEach(what -> ofKind.merge(what, 1, Integer::sum));
  }

  /** What the versions of a job, and its pods, show of its life. */
  static Set<String> of(Cluster cluster) {
    Set<String> reached = new HashSet<>();
    Stated before = Stated.NOTHING;
    long generation = cluster.jobEvents.get(0).generation();
    for (JobVersion version : cluster.jobEvents) {
      Stated stated = version.stated();
      note(reached, stated.backoff() > 0, "restart counted");
      note(reached, stated.backoff() > 1, "more than one restart counted");
      note(reached, stated.disruptions() > 0, "disruption");
      note(reached, stated.attempt() > 0, "all pods anew");
      note(reached, stated.pausing(), "suspended");
      note(reached, before.pausing() && !stated.pausing(), "resumed");
      note(reached, !stated.removed().isEmpty(), "scaled down");
      note(
          reached,
          stated.replicas().values().stream().anyMatch(one -> one.restartAt() != null),
          "delay");
      note(reached, version.generation() != generation, "edited");
      note(reached, stated.ended(), "ended " + stated.endReason());
      boolean announced =
          version.resource() instanceof PyTorchJobResource job
              && PyTorchJobLook.ending(job.status()) != null;
      note(reached, announced, "end announced");
      note(
          reached,
          reached.contains("end announced") && "Succeeded".equals(stated.endReason()),
          "succeeded though its end was announced");
      note(reached, !version.exists(), "deleted at the end of its time to live");
      before = stated;
    }
    note(reached, !before.ended(), "goes on at rest");
    for (SimulatedPod pod : cluster.everCreated()) {
      note(reached, pod.restarts() > 0, "restarted in place");
      note(reached, cluster.wasLost(pod), "pod on a lost node");
    }
    return reached;
  }

  private static void note(Set<String> reached, boolean is, String what) {
    if (is) {
      reached.add(what);
    }
  }

  @Override
  public synchronized String toString() {
    return counts.entrySet().stream()
        .map(one -> one.getKey() + ": " + one.getValue())
        .collect(Collectors.joining("\n"));
  }
}
