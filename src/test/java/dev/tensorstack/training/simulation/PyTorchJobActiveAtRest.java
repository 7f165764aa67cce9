package dev.tensorstack.training.simulation;

import dev.tensorstack.training.core.model.ReplicaId;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** A job that goes on has the pods and Services that it wants, and no others, and is Running. */
final class PyTorchJobActiveAtRest {

  private PyTorchJobActiveAtRest() {}

  static void check(Cluster cluster) {
    Stated stated = cluster.job().stated();
    Set<String> names = new TreeSet<>();
    boolean allDone = true;
    for (Map.Entry<ReplicaId, Stated.Entry> one : stated.replicas().entrySet()) {
      Stated.Entry entry = one.getValue();
      names.add(entry.name());
      SimulatedPod pod = cluster.pods.get(entry.name());
      boolean present = pod != null && pod.uid.equals(entry.uid());
      boolean done =
          entry.phase().equals("Succeeded")
              && cluster.everCreated(entry.uid()).truth().kind() == Truth.Kind.DONE;
      allDone &= done;
      Invariants.require(
          done || (present && pod.running() && !pod.deleting() && !cluster.isLost(pod)),
          "at rest every replica runs or is done",
          one,
          pod);
    }
    for (SimulatedPod pod : cluster.pods.values()) {
      Invariants.require(
          PyTorchJobDeletions.isPresent(pod, stated), "what the job does not want goes", pod);
    }
    Invariants.require(
        cluster.services.keySet().equals(names),
        "each replica has its Service, and no other",
        cluster.services.keySet(),
        names);
    Invariants.require(stated.phase().equals("Running"), "a job whose pods run is Running", stated);
  }
}
