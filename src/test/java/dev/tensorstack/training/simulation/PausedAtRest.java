package dev.tensorstack.training.simulation;

/** A paused job is Paused and has no pods that run. */
final class PausedAtRest {

  private PausedAtRest() {}

  static void check(Cluster cluster) {
    String phase = cluster.job().stated().phase();
    Invariants.require(phase.equals("Paused"), "a paused job is paused", phase);
    for (SimulatedPod pod : cluster.pods.values()) {
      Invariants.require(cluster.isGone(pod), "a paused job has no pods that run", pod);
    }
  }
}
