package dev.tensorstack.training.simulation;

import dev.tensorstack.training.api.v1beta1.ReplicaStatus;
import dev.tensorstack.training.api.v1beta1.TaskStatus;
import java.util.HashMap;
import java.util.Map;

/** A pod's name is never given to a second pod once a status has listed the first. */
final class PodNames {

  private final Map<String, String> listed = new HashMap<>();

  void stored(JobVersion after) {
    for (TaskStatus task : after.status().tasks()) {
      for (ReplicaStatus replica : task.replicas()) {
        if (replica.uid() != null) {
          listed.putIfAbsent(replica.name(), replica.uid());
        }
      }
    }
  }

  void created(SimulatedPod pod) {
    Invariants.require(!listed.containsKey(pod.name), "a pod's name is used once", pod);
  }
}
