package dev.tensorstack.training.simulation;

import java.util.ArrayList;
import java.util.List;

/** What kubelets, the scheduler, nodes and people do to pods. */
final class Life {

  private static final int MOST_NODES = 5;
  private static final int LOST_PEER = 20;
  private static final int[] CODES = {1, 1, 2, 137, 143, 130, 139};

  private final Cluster cluster;
  private final Luck luck;
  private final int trouble;

  /** The job's pods tolerate everything, or name their node. */
  private final boolean landsAnywhere;

  /** Ended pods are removed by pod garbage collection, or by somebody's own cleaner. */
  private final boolean cleaned;

  /** Workers are soon done, and started again and again. */
  private final boolean shortWork;

  /** How often readiness probes change their minds, in percent. */
  private final int flaps;

  /**
   * @param trouble how much goes wrong, in percent
   * @param isLong whether the job outlives many pods
   */
  Life(Cluster cluster, Luck luck, int trouble, boolean isLong) {
    this.cluster = cluster;
    this.luck = luck;
    this.trouble = trouble;
    landsAnywhere = luck.chance(15);
    shortWork = isLong && luck.chance(50);
    cleaned = !shortWork && luck.chance(60);
    flaps = luck.chance(15) ? 40 : 2;
  }

  /** Something happens to one pod, or to a node. */
  void step() {
    if (luck.chance(trouble / 8)) {
      node();
    }
    if (cluster.job().resource().hasServiceOfEachReplica() && luck.chance(trouble / 8)) {
      deleteAService();
    }
    List<SimulatedPod> pods = List.copyOf(cluster.pods.values());
    for (SimulatedPod pod : pods) {
      if (luck.chance(35)) {
        act(pod);
      }
    }
  }

  private void deleteAService() {
    List<String> shown = new ArrayList<>(cluster.services.keySet());
    shown.removeIf(name -> !cluster.shownServices.contains(cluster.services.get(name)));
    if (!shown.isEmpty()) {
      cluster.services.remove(luck.of(shown));
    }
  }

  private void node() {
    String node = luck.of(cluster.nodes);
    if (cluster.nodes.size() < MOST_NODES && luck.chance(15)) {
      cluster.join();
    } else if (luck.chance(15)) {
      drain(node);
    } else if (!cluster.lostNodes().containsKey(node)) {
      cluster.lose(node);
    } else if (luck.chance(30)) {
      cluster.takeOutOfService(node);
    } else {
      cluster.bringBack(node);
    }
  }

  private void drain(String node) {
    for (SimulatedPod pod : List.copyOf(cluster.pods.values())) {
      if (node.equals(pod.node())) {
        cluster.evict(pod, "EvictionByEvictionAPI");
      }
    }
  }

  private void act(SimulatedPod pod) {
    if (!cluster.pods.containsKey(pod.name)) {
      return;
    }
    if (cleaned && pod.ended() && luck.chance(6)) {
      cluster.remove(pod);
    } else if (luck.chance(trouble / 4)) {
      person(pod);
    } else if (cluster.isLost(pod)) {
      onLostNode(pod);
    } else if (pod.deleting()) {
      stopping(pod);
    } else if (pod.hasUnreportedEnd()) {
      pod.report();
      cluster.changed(pod);
    } else if (pod.backsOff()) {
      pod.startAgain(cluster.now());
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
        cluster.evict(pod, luck.of("EvictionByEvictionAPI", "PreemptionByScheduler"));
      }
      default -> cluster.delete(pod, false);
    }
  }

  private void onLostNode(SimulatedPod pod) {
    if (luck.chance(10)) {
      cluster.evict(pod, "DeletionByTaintManager");
    } else if (luck.chance(5)) {
      // Removed without its kubelet.
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
        cluster.nodes.stream().filter(node -> !cluster.lostNodes().containsKey(node)).toList();
    if (landsAnywhere && luck.chance(40)) {
      pod.bind(luck.of(cluster.nodes));
      if (cluster.isLost(pod)) {
        pod.lost(pod.createdAt);
      }
    } else if (well.isEmpty() || luck.chance(10)) {
      pod.cannotBeScheduled();
    } else {
      pod.bind(luck.of(well));
    }
  }

  private void running(SimulatedPod pod) {
    if (isMasterOfAJobThatEnds(pod) && luck.chance(60)) {
      // It was about to be done when others failed.
      pod.exit(luck.chance(80) ? 0 : 1, cluster.now());
      cluster.changed(pod);
    } else if (shortWork && !cluster.job().isMaster(pod.replica) && luck.chance(25)) {
      pod.exit(0, cluster.now());
      cluster.changed(pod);
    } else if (luck.chance(flaps)) {
      pod.flap(cluster.now());
      cluster.changed(pod);
    } else if (follows(pod)) {
      cluster.changed(pod);
    } else if (luck.chance(trouble / 3)) {
      int code = CODES[luck.below(CODES.length)];
      if (luck.chance(15)) {
        pod.evict(cluster.now());
      } else if (luck.chance(15)) {
        pod.endUnreported(code, cluster.now());
        return;
      } else {
        pod.exit(code, cluster.now());
        if (pod.ended() && pod.traits.onlyTrainingCounts() && luck.chance(15)) {
          pod.failSidecar(luck.of(3, 137));
        }
      }
      cluster.changed(pod);
    } else if (luck.chance(luck.chance(30) ? 12 : 2)) {
      pod.exit(0, cluster.now());
      cluster.changed(pod);
    }
  }

  private boolean isMasterOfAJobThatEnds(SimulatedPod pod) {
    return cluster.job().isMaster(pod.replica)
        && cluster.job().resource() instanceof PyTorchJobResource job
        && PyTorchJobLook.ending(job.status()) != null;
  }

  /**
   * What the end of one means for the others: when the master is done, they come to their end as
   * well; when one has failed, torchrun's agents lose their peer. True when the pod has ended.
   */
  private boolean follows(SimulatedPod pod) {
    JobVersion job = cluster.job();
    for (SimulatedPod other : cluster.pods.values()) {
      if (other == pod || other.attempt != pod.attempt || !other.ended()) {
        continue;
      }
      Truth truth = other.truth();
      if (truth.kind() == Truth.Kind.DONE && job.isMaster(other.replica)) {
        if (luck.chance(40)) {
          pod.exit(luck.chance(10) ? 1 : 0, cluster.now());
          return true;
        }
      } else if (truth.kind() == Truth.Kind.APPLICATION
          && job.resource().losesPeers()
          && !truth.since().plusSeconds(LOST_PEER).isBefore(cluster.now())
          && luck.chance(job.elastic() ? 10 : 35)) {
        pod.exit(1, cluster.now());
        return true;
      }
    }
    return false;
  }

  /** Somebody removes all pods that have ended; true when there was one. */
  boolean cleanUp() {
    boolean any = false;
    for (SimulatedPod pod : List.copyOf(cluster.pods.values())) {
      if (pod.ended()) {
        cluster.remove(pod);
        any = true;
      }
    }
    return any;
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
      } else if (pod.backsOff()) {
        pod.startAgain(cluster.now());
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
