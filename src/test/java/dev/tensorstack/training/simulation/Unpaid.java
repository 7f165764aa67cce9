package dev.tensorstack.training.simulation;

import dev.tensorstack.training.api.v1beta1.ReplicaStatus;
import dev.tensorstack.training.api.v1beta1.TaskStatus;
import dev.tensorstack.training.observation.ReplicaId;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * No failure is forgotten: in a job of fixed size that was never paused or debugged, a pod that was
 * replaced within its attempt has cost a restart, or was done and is started again. It looks at the
 * pods alone, and only at the end.
 */
final class Unpaid {

  private final Cluster cluster;
  private final Tally tally;
  private final Set<String> listed = new HashSet<>();

  Unpaid(Cluster cluster, Tally tally) {
    this.cluster = cluster;
    this.tally = tally;
  }

  void stored(JobVersion after) {
    for (TaskStatus task : after.status().tasks()) {
      for (ReplicaStatus replica : task.replicas()) {
        if (replica.uid() != null) {
          listed.add(replica.uid());
        }
      }
    }
  }

  void atRest() {
    if (cluster.jobEvents.stream()
        .anyMatch(job -> job.elastic() || job.pauseWanted() || job.debugWanted())) {
      return;
    }
    Map<ReplicaId, SimulatedPod> latest = new HashMap<>();
    for (SimulatedPod pod : cluster.everCreated()) {
      if (!listed.contains(pod.uid)) {
        continue;
      }
      SimulatedPod before = latest.put(pod.replica, pod);
      Invariants.require(
          before == null
              || before.attempt != pod.attempt
              || before.truth().kind() == Truth.Kind.DONE
              || tally.charged(before.uid),
          "no failure is forgotten",
          before,
          "was replaced by",
          pod);
    }
  }
}
