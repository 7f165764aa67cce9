package dev.tensorstack.training.simulation;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What the watches of one process have brought so far; it lags behind. */
final class Caches {

  private static final int MOST_BEHIND = 4;

  private final Cluster cluster;
  private final Luck luck;
  private final Map<String, PodVersion> pods = new HashMap<>();

  /** The last versions of pods whose removal a watch has told of since this was asked. */
  private final List<PodVersion> removed = new ArrayList<>();

  private int podEvents;
  private int jobEvents;
  private int nodeEvents;
  private Map<String, String> services = Map.of();

  /**
   * A new process. Its pods are those of now; what it knows of the job and of the nodes may be
   * older: each list comes from a cache of the API server, at a time of its own.
   */
  Caches(Cluster cluster, Luck luck) {
    this.cluster = cluster;
    this.luck = luck;
    relist();
    if (luck.chance(25)) {
      jobEvents = Math.max(1, jobEvents - luck.below(MOST_BEHIND));
    }
    if (luck.chance(15)) {
      nodeEvents = Math.max(1, nodeEvents - luck.below(MOST_BEHIND));
    }
  }

  /** The watches break; everything is read anew, and what happened in between is never seen. */
  void relist() {
    pods.clear();
    cluster.pods.values().forEach(pod -> pods.put(pod.name, cluster.present(pod)));
    podEvents = cluster.podEvents.size();
    jobEvents = cluster.jobEvents.size();
    nodeEvents = cluster.nodeEvents.size();
    services = Map.copyOf(cluster.services);
  }

  /** Each watch brings up to {@code most} of what it has; true when anything came. */
  boolean watch(int most) {
    boolean any = !services.equals(cluster.services);
    services = Map.copyOf(cluster.services);
    cluster.shownServices.addAll(services.values());
    for (int i = 0; i < most && podEvents < cluster.podEvents.size(); i++) {
      see(cluster.podEvents.get(podEvents++));
      any = true;
    }
    int mostJobs = luck.chance(5) ? 0 : most;
    int mostNodes = luck.chance(10) ? 0 : most;
    int jobs = (int) Math.min(cluster.jobEvents.size(), (long) jobEvents + mostJobs);
    int nodes = (int) Math.min(cluster.nodeEvents.size(), (long) nodeEvents + mostNodes);
    any |= jobs != jobEvents || nodes != nodeEvents;
    jobEvents = jobs;
    nodeEvents = nodes;
    return any;
  }

  boolean isUpToDate() {
    return podEvents == cluster.podEvents.size()
        && jobEvents == cluster.jobEvents.size()
        && nodeEvents == cluster.nodeEvents.size()
        && services.equals(cluster.services);
  }

  /** A version of a pod is known from now on, unless a newer one is. */
  void see(PodVersion event) {
    PodVersion known = pods.get(event.name());
    if (known != null && known.version() > event.version()) {
      return;
    }
    if (event.pod() == null) {
      if (known != null) {
        removed.add(known);
      }
      pods.remove(event.name());
    } else {
      pods.put(event.name(), event);
    }
  }

  /** The last versions of pods that were removed, as far as a watch has told of it; told once. */
  List<PodVersion> takeRemoved() {
    List<PodVersion> taken = List.copyOf(removed);
    removed.clear();
    return taken;
  }

  /** The answer to the job's own write is the newest there is of it. */
  void seeJob() {
    jobEvents = cluster.jobEvents.size();
  }

  Map<String, PodVersion> pods() {
    return pods;
  }

  JobVersion job() {
    return cluster.jobEvents.get(jobEvents - 1);
  }

  /**
   * Since when the operator takes a node for lost, or null. One that the watch has not brought yet
   * is not lost by that alone: the API server is asked for it.
   */
  Instant lostSince(String node) {
    Nodes seen = cluster.nodeEvents.get(nodeEvents - 1);
    return seen.known().contains(node) ? seen.lost().get(node) : cluster.lostNodes().get(node);
  }

  /** Since when a node was lost, as recorded in the newest version that the operator may know. */
  Instant recordedLoss(String node) {
    Nodes seen = cluster.nodeEvents.get(nodeEvents - 1);
    return (seen.known().contains(node) ? seen.lost() : cluster.lostNodes()).get(node);
  }

  /** The uids of the Services, by name. */
  Map<String, String> services() {
    return services;
  }
}
