package dev.tensorstack.training.simulation;

import dev.tensorstack.training.core.model.ReplicaId;
import java.util.HashMap;
import java.util.Map;

/** Which restarts by kubelets the stored statuses have counted so far, whoever stored them. */
final class InPlaceCounts {

  private final Map<String, Integer> counted = new HashMap<>();

  /** How many restarts a look shows that are not counted yet, by replica. */
  Map<ReplicaId, Integer> fresh(PyTorchJobLook look) {
    Map<ReplicaId, Integer> fresh = new HashMap<>();
    look.restarted.forEach(
        (uid, restarted) -> {
          int more = restarted.times() - counted.getOrDefault(uid, 0);
          // What scaling takes away at the same moment may be counted or not.
          if (more > 0 && look.after.replicas().containsKey(restarted.id())) {
            fresh.put(restarted.id(), more);
          }
        });
    return fresh;
  }

  /** A status was stored. */
  void stored(PyTorchJobLook look) {
    if (look.trained()) {
      look.restarted.forEach((uid, restarted) -> counted.merge(uid, restarted.times(), Math::max));
    }
  }
}
