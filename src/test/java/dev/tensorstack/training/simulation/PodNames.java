package dev.tensorstack.training.simulation;

import dev.tensorstack.training.api.v1beta1.ReplicaStatus;
import dev.tensorstack.training.api.v1beta1.TaskStatus;
import dev.tensorstack.training.plan.PlannedAction;
import java.util.HashSet;
import java.util.Set;

/** No pod is asked for by a name under which a status has listed one before. */
final class PodNames {

  private final Set<String> listed = new HashSet<>();

  void stored(JobVersion after) {
    for (TaskStatus task : after.status().tasks()) {
      for (ReplicaStatus replica : task.replicas()) {
        if (replica.uid() != null) {
          listed.add(replica.name());
        }
      }
    }
  }

  void sent(PlannedAction.CreatePod create) {
    Invariants.require(!listed.contains(create.name()), "a pod's name is used once", create);
  }
}
