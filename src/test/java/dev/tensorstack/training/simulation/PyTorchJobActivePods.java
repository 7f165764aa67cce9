package dev.tensorstack.training.simulation;

import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.kind.pytorchjob.v1.ReplicaStatus;
import dev.tensorstack.training.kind.pytorchjob.v1.ReplicaType;

/**
 * {@code active} counts pods until they have ended, also those that are told to stop: whoever has
 * given them a share of a quota may give it to others when it is 0. A job that has succeeded has
 * none.
 */
final class PyTorchJobActivePods {

  private PyTorchJobActivePods() {}

  static void check(PyTorchJobLook look) {
    if (look.before.succeeded()) {
      return;
    }
    for (ReplicaType type : ReplicaType.values()) {
      if (look.spec.replicas(type) == null) {
        continue;
      }
      ReplicaStatus said = look.statusAfter.replicaStatuses().get(type.name());
      int least = 0;
      int most = 0;
      for (PodVersion version : look.view.pods().values()) {
        ObservedPod pod = version.pod();
        if (pod.replica().type().equals(type.label()) && !pod.ended()) {
          least += pod.phase() == ObservedPod.Phase.RUNNING ? 1 : 0;
          most++;
        }
      }
      Invariants.require(
          look.after.succeeded()
              ? said.active() == 0
              : said.active() >= least && said.active() <= most,
          "active counts the pods that have not ended",
          type,
          said,
          "between",
          least,
          most,
          look);
    }
  }
}
