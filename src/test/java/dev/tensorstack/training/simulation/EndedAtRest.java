package dev.tensorstack.training.simulation;

/** The clean-up policy was kept. */
final class EndedAtRest {

  private EndedAtRest() {}

  static void check(Cluster cluster) {
    JobVersion job = cluster.job();
    String policy = TrainingJobResource.specOf(job).runPolicy().cleanUpPolicy();
    boolean deadline = "DeadlineExceeded".equals(job.stated().endReason());
    for (SimulatedPod pod : cluster.pods.values()) {
      boolean gone = cluster.isGone(pod);
      boolean right =
          switch (policy) {
            case "All" -> pod.deleting();
            case "None" -> gone || !deadline;
            default -> gone;
          };
      Invariants.require(right, "the clean-up policy is kept at rest", policy, pod);
    }
  }
}
