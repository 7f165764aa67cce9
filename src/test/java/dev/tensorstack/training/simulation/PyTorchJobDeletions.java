package dev.tensorstack.training.simulation;

import dev.tensorstack.training.core.plan.PlannedAction;
import dev.tensorstack.training.kind.pytorchjob.v1.RunPolicy;

/**
 * A pod is deleted because of what is stored: the present pods of a job that goes on stay, those of
 * one that has ended are kept by its clean-up policy.
 */
final class PyTorchJobDeletions {

  private PyTorchJobDeletions() {}

  static void check(PlannedAction.DeletePod delete, PyTorchJobLook look, Cluster cluster) {
    SimulatedPod pod = cluster.everCreated(delete.uid());
    PodVersion seen = look.view.pods().get(delete.name());
    Invariants.require(
        !delete.atOnce()
            || (seen != null
                && (seen.pod().ended()
                    ? look.view.lostNodes().containsKey(seen.pod().node())
                    : PyTorchJobPlaces.isGivenUp(seen.pod(), look.view))),
        "only what is on a lost node is deleted without its grace period",
        delete,
        look);
    if (pod.goneAt() != null) {
      return;
    }
    Stated stored = cluster.job().stated();
    boolean ended = seen != null && seen.pod().ended();
    if (stored.ended()) {
      String policy = policy(look);
      Invariants.require(
          ended
              ? policy.equals("All")
              : !policy.equals("None") || stopsAll(stored) || !isPresent(pod, stored),
          "pods are kept as the clean-up policy says",
          policy,
          pod,
          look);
    } else {
      Invariants.require(
          stored.pausing() || !isPresent(pod, stored) || isNotStartedAgain(pod, cluster),
          "the pods that the stored status counts on stay",
          pod,
          "stored",
          stored,
          look);
    }
  }

  /** The job is about to end, and no container of the pod may be started again. */
  private static boolean isNotStartedAgain(SimulatedPod pod, Cluster cluster) {
    return PyTorchJobLook.ending(PyTorchJobResource.of(cluster.job()).status()) != null
        && cluster.job().stated().replicas().get(pod.replica).calledEnded();
  }

  /** A limit that pods outlive would stop nothing (docs/reference/pytorchjob.md). */
  static boolean stopsAll(Stated stored) {
    return stored.endReason().equals("DeadlineExceeded")
        || stored.endReason().equals("BackoffLimitExceeded");
  }

  static String policy(PyTorchJobLook look) {
    return policy(look.spec.runPolicy());
  }

  static String policy(RunPolicy policy) {
    return policy == null || policy.cleanPodPolicy() == null ? "None" : policy.cleanPodPolicy();
  }

  /** It is the pod that the status has in a replica's place, or is about to list there. */
  static boolean isPresent(SimulatedPod pod, Stated stored) {
    Stated.Entry entry = stored.replicas().get(pod.replica);
    return entry != null
        && (entry.uid() == null
            ? pod.attempt == stored.attempt() && pod.earlierPods == entry.earlier()
            : entry.uid().equals(pod.uid));
  }
}
