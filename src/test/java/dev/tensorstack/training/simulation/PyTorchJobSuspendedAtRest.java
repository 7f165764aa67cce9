package dev.tensorstack.training.simulation;

import dev.tensorstack.training.kind.pytorchjob.v1.ReplicaStatus;

/** A suspended job has no pods and no Services, whatever its clean-up policy, and says so. */
final class PyTorchJobSuspendedAtRest {

  private PyTorchJobSuspendedAtRest() {}

  static void check(Cluster cluster) {
    PyTorchJobResource job = PyTorchJobResource.of(cluster.job());
    Invariants.require(
        PyTorchJobWords.isTrue(job.status(), "Suspended"), "a suspended job is Suspended", job);
    for (SimulatedPod pod : cluster.pods.values()) {
      Invariants.require(
          pod.deleting() && cluster.isLost(pod), "a suspended job has no pods", pod, job);
    }
    Invariants.require(
        cluster.services.isEmpty(), "a suspended job has no Services", cluster.services, job);
    for (ReplicaStatus status : job.status().replicaStatuses().values()) {
      Invariants.require(
          !cluster.pods.isEmpty() || status.active() == 0,
          "nothing of a suspended job is active",
          status,
          job);
    }
  }
}
