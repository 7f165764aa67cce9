package dev.tensorstack.training.simulation;

import dev.tensorstack.training.observation.Ledger;
import dev.tensorstack.training.observation.ReplicaId;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** A job that goes on has the pods it wants, and no others. */
final class ActiveAtRest {

  private ActiveAtRest() {}

  static void check(Cluster cluster) {
    JobVersion job = cluster.job();
    String phase = job.status().phase();
    List<ReplicaId> replicas = Scaling.replicas(job);
    Set<ReplicaId> missing = new HashSet<>(replicas);
    int failed = 0;
    for (SimulatedPod pod : cluster.presentPods()) {
      Invariants.require(replicas.contains(pod.replica), "what the job does not want goes", pod);
      missing.remove(pod.replica);
      // An elastic job may have given up what is on a lost node without deleting it.
      boolean gone = pod.ended() || cluster.isLost(pod);
      failed += pod.truth().kind() != Truth.Kind.DONE && gone ? 1 : 0;
      Invariants.require(gone || pod.running(), "every pod runs in the end", pod);
    }
    for (SimulatedPod pod : cluster.pods.values()) {
      Invariants.require(
          cluster.isGone(pod) || replicas.contains(pod.replica),
          "what the job does not want goes",
          pod);
    }
    // An elastic job goes on without those that its restart policy does not bring back.
    for (ReplicaId id : List.copyOf(missing)) {
      Ledger.Slot slot = job.ledger().slots().get(id);
      if (slot != null && slot.uid() != null) {
        missing.remove(id);
        failed++;
      }
    }
    Invariants.require(missing.isEmpty(), "every replica has a pod", missing);
    Invariants.require(
        failed == 0
            || (job.elastic() && replicas.size() - failed >= job.spec().elastic().minReplicas()),
        "only an elastic job goes on with failed pods",
        cluster.pods);
    Invariants.require(phase.equals("Running"), "a job all of whose pods run is Running", phase);
  }
}
