package dev.tensorstack.training.simulation;

import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/** What the watches of one process have brought so far; it lags behind. */
final class Caches {

  private final Cluster cluster;
  private final Map<String, PodVersion> pods = new HashMap<>();
  private int podEvents;
  private int jobEvents;
  private int nodeEvents;
  private boolean service;

  Caches(Cluster cluster) {
    this.cluster = cluster;
    relist();
  }

  /** The watches break; everything is read anew, and what happened in between is never seen. */
  void relist() {
    pods.clear();
    cluster.pods.values().forEach(pod -> pods.put(pod.name, cluster.present(pod)));
    podEvents = cluster.podEvents.size();
    jobEvents = cluster.jobEvents.size();
    nodeEvents = cluster.nodeEvents.size();
    service = cluster.service;
  }

  /** Each watch brings up to {@code most} of what it has; true when anything came. */
  boolean watch(int most) {
    boolean any = service != cluster.service;
    service = cluster.service;
    for (int i = 0; i < most && podEvents < cluster.podEvents.size(); i++) {
      see(cluster.podEvents.get(podEvents++));
      any = true;
    }
    int jobs = (int) Math.min(cluster.jobEvents.size(), (long) jobEvents + most);
    int nodes = (int) Math.min(cluster.nodeEvents.size(), (long) nodeEvents + most);
    any |= jobs != jobEvents || nodes != nodeEvents;
    jobEvents = jobs;
    nodeEvents = nodes;
    return any;
  }

  boolean isUpToDate() {
    return podEvents == cluster.podEvents.size()
        && jobEvents == cluster.jobEvents.size()
        && nodeEvents == cluster.nodeEvents.size()
        && service == cluster.service;
  }

  /** A version of a pod is known from now on, unless a newer one is. */
  void see(PodVersion event) {
    PodVersion known = pods.get(event.name());
    if (known != null && known.version() > event.version()) {
      return;
    }
    if (event.pod() == null) {
      pods.remove(event.name());
    } else {
      pods.put(event.name(), event);
    }
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

  Map<String, Instant> lostNodes() {
    return cluster.nodeEvents.get(nodeEvents - 1);
  }

  boolean service() {
    return service;
  }
}
