package dev.tensorstack.training.simulation;

/** Of the pods that ended and were replaced, the ten latest are kept, and the one to be read. */
final class KeptAtRest {

  private KeptAtRest() {}

  static void check(Cluster cluster) {
    Stated stated = cluster.job().stated();
    long kept =
        cluster.pods.values().stream()
            .filter(pod -> pod.ended() && !Deletions.isPresent(pod, stated) && !pod.deleting())
            .filter(pod -> stated.failure() == null || !pod.name.equals(stated.failure().pod()))
            .count();
    Invariants.require(kept <= Contract.KEPT_PODS, "at most ten replaced pods are kept", kept);
  }
}
