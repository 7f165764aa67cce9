package dev.tensorstack.training.simulation;

import java.util.List;

/** What kubelets, the scheduler, nodes and people do to pods. */
final class Life {

  private static final int[] CODES = {1, 1, 2, 137, 143, 130, 139};

  private final Cluster cluster;
  private final Luck luck;
  private final int trouble;

  /**
   * @param trouble how much goes wrong, in percent
   */
  Life(Cluster cluster, Luck luck, int trouble) {
    this.cluster = cluster;
    this.luck = luck;
    this.trouble = trouble;
  }

  /** Something happens to one pod, or to a node. */
  void step() {
    if (luck.chance(trouble / 8)) {
      node();
    }
    List<SimulatedPod> pods = List.copyOf(cluster.pods.values());
    for (SimulatedPod pod : pods) {
      if (luck.chance(35)) {
        act(pod);
      }
    }
  }

  private void node() {
    String node = luck.of(Cluster.NODES);
    if (cluster.lostNodes().containsKey(node)) {
      cluster.bringBack(node);
    } else {
      cluster.lose(node);
    }
  }

  private void act(SimulatedPod pod) {
    if (!cluster.pods.containsKey(pod.name)) {
      return;
    }
    if (luck.chance(trouble / 4)) {
      person(pod);
    } else if (cluster.isLost(pod)) {
      onLostNode(pod);
    } else if (pod.deleting()) {
      stopping(pod);
    } else if (pod.hasUnreportedEnd()) {
      pod.report();
      cluster.changed(pod);
    } else if (pod.pending()) {
      starting(pod);
    } else if (pod.running()) {
      running(pod);
    }
  }

  private void person(SimulatedPod pod) {
    switch (luck.below(4)) {
      case 0 -> cluster.remove(pod);
      case 1 -> {
        pod.target(luck.of("EvictionByEvictionAPI", "PreemptionByScheduler"));
        cluster.delete(pod, false);
      }
      default -> cluster.delete(pod, false);
    }
  }

  private void onLostNode(SimulatedPod pod) {
    if (luck.chance(10)) {
      pod.target("DeletionByTaintManager");
      cluster.delete(pod, false);
    } else if (luck.chance(5)) {
      // Marked out of service: removed without its kubelet.
      cluster.remove(pod);
    } else if (pod.running() && !pod.hasUnreportedEnd() && luck.chance(10)) {
      pod.endUnreported(luck.chance(30) ? 0 : 1, cluster.now());
    }
  }

  private void stopping(SimulatedPod pod) {
    if (pod.ended() || pod.pending() || luck.chance(50)) {
      cluster.remove(pod);
    } else if (pod.hasUnreportedEnd()) {
      pod.report();
      cluster.changed(pod);
    } else {
      pod.end(luck.chance(20) ? 0 : 143, cluster.now());
      cluster.changed(pod);
    }
  }

  private void starting(SimulatedPod pod) {
    if (pod.node() == null) {
      schedule(pod);
    } else if (luck.chance(trouble / 8)) {
      pod.refuse(luck.of("UnexpectedAdmissionError", "OutOfcpu", "NodeAffinity"));
    } else if (luck.chance(trouble / 8)) {
      pod.failInit(1, cluster.now());
    } else {
      pod.start(cluster.now());
    }
    cluster.changed(pod);
  }

  private void schedule(SimulatedPod pod) {
    List<String> well =
        Cluster.NODES.stream().filter(node -> !cluster.lostNodes().containsKey(node)).toList();
    if (well.isEmpty() || luck.chance(10)) {
      pod.cannotBeScheduled();
    } else {
      pod.bind(luck.of(well));
    }
  }

  private void running(SimulatedPod pod) {
    if (luck.chance(trouble / 3)) {
      int code = CODES[luck.below(CODES.length)];
      if (luck.chance(15)) {
        pod.evict(cluster.now());
      } else if (luck.chance(15)) {
        pod.endUnreported(code, cluster.now());
        return;
      } else {
        pod.end(code, cluster.now());
      }
      cluster.changed(pod);
    } else if (luck.chance(luck.chance(30) ? 12 : 2)) {
      pod.end(0, cluster.now());
      cluster.changed(pod);
    }
  }

  /**
   * No more trouble: what can start starts, what has to stop stops. True when anything happened.
   */
  boolean settle() {
    boolean any = false;
    for (SimulatedPod pod : List.copyOf(cluster.pods.values())) {
      if (cluster.isLost(pod)) {
        continue;
      }
      if (pod.deleting()) {
        cluster.remove(pod);
      } else if (pod.hasUnreportedEnd()) {
        pod.report();
        cluster.changed(pod);
      } else if (pod.pending() && pod.node() == null) {
        schedule(pod);
        if (pod.node() == null) {
          continue;
        }
        cluster.changed(pod);
      } else if (pod.pending()) {
        pod.start(cluster.now());
        cluster.changed(pod);
      } else {
        continue;
      }
      any = true;
    }
    return any;
  }
}
