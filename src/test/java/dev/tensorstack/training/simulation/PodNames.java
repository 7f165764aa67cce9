package dev.tensorstack.training.simulation;

import dev.tensorstack.training.core.plan.PlannedAction;
import java.util.HashSet;
import java.util.Set;

/** No pod is asked for by a name under which a status has listed one before. */
final class PodNames {

  private final Set<String> listed = new HashSet<>();

  void stored(Look look) {
    for (Stated.Entry entry : look.after.replicas().values()) {
      if (entry.uid() != null) {
        listed.add(entry.name());
      }
    }
  }

  void sent(PlannedAction.CreatePod create) {
    Invariants.require(!listed.contains(create.name()), "a pod's name is used once", create);
  }
}
