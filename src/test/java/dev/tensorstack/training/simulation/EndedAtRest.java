package dev.tensorstack.training.simulation;

/** A job that has ended says so, and the clean-up policy was kept. */
final class EndedAtRest {

  private EndedAtRest() {}

  static void check(Cluster cluster) {
    JobVersion job = cluster.job();
    String phase = job.status().phase();
    Invariants.require(
        phase.equals(job.ledger().outcome().succeeded() ? "Succeeded" : "Failed"),
        "the phase is final",
        phase);
    String policy = job.spec().runPolicy().cleanUpPolicy();
    boolean deadline = "DeadlineExceeded".equals(job.ledger().outcome().reason());
    for (SimulatedPod pod : cluster.pods.values()) {
      boolean gone = cluster.isGone(pod);
      boolean right =
          switch (policy) {
            case "All" -> pod.deleting();
            case "None" -> gone || !deadline;
            default -> gone;
          };
      Invariants.require(right, "the clean-up policy is kept", policy, pod);
    }
  }
}
