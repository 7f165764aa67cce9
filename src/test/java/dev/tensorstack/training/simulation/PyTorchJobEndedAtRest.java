package dev.tensorstack.training.simulation;

import java.util.Set;
import java.util.TreeSet;

/** The clean-up policy was kept, and Services went with their pods, or stayed with them. */
final class PyTorchJobEndedAtRest {

  private PyTorchJobEndedAtRest() {}

  static void check(Cluster cluster) {
    JobVersion job = cluster.job();
    String policy = PyTorchJobDeletions.policy(PyTorchJobResource.of(job).spec().runPolicy());
    boolean stopsAll = PyTorchJobDeletions.stopsAll(job.stated());
    Set<String> ended = new TreeSet<>();
    for (SimulatedPod pod : cluster.pods.values()) {
      boolean gone = cluster.isGone(pod);
      if (pod.ended()) {
        ended.add(pod.name);
      }
      boolean right =
          switch (policy) {
            case "All" -> pod.deleting();
            case "Running" -> gone;
            default -> gone || !stopsAll;
          };
      Invariants.require(right, "the clean-up policy is kept at rest", policy, pod);
    }
    boolean deletes = !policy.equals("None") || stopsAll;
    Invariants.require(
        !deletes
            || (policy.equals("All") ? Set.<String>of() : ended)
                .containsAll(cluster.services.keySet()),
        "Services go with the pods of their replicas",
        cluster.services.keySet(),
        policy,
        cluster.pods.values());
  }
}
