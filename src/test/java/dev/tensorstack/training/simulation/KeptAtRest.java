package dev.tensorstack.training.simulation;

import java.util.List;

/** Of the pods that ended and were replaced, the ten latest are kept. */
final class KeptAtRest {

  private static final int MOST = 10;

  private KeptAtRest() {}

  static void check(Cluster cluster) {
    List<SimulatedPod> present = cluster.presentPods();
    long kept =
        cluster.pods.values().stream()
            .filter(pod -> pod.ended() && !present.contains(pod) && !pod.deleting())
            .count();
    Invariants.require(kept <= MOST, "at most ten replaced pods are kept", kept);
  }
}
