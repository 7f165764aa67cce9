package dev.tensorstack.training.simulation;

import dev.tensorstack.training.api.v1beta1.PyTorchTrainingJobStatus;
import dev.tensorstack.training.api.v1beta1.TaskStatus;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Counts along with the whole history, and never reads a count from the status: what the status
 * says must be this, whatever was killed in between. No pod is charged twice, none for what another
 * did, and none that the operator itself had stopped.
 */
final class Tally {

  private final Cluster cluster;
  private final Set<String> charged = new HashSet<>();
  private final Map<String, Integer> restarts = new HashMap<>();
  private int backoff;
  private int disruptions;

  Tally(Cluster cluster) {
    this.cluster = cluster;
  }

  void stored(JobVersion after, Step step) {
    for (TrueFailure failure : step.wanted().charged()) {
      SimulatedPod pod = cluster.everCreated(failure.uid());
      Invariants.require(charged.add(pod.uid), "a pod is charged once", pod);
      Invariants.require(
          !failure.application() || pod.truth().kind() == Truth.Kind.APPLICATION,
          "only what failed by its own fault costs budget",
          pod);
      Invariants.require(
          failure.application() || !pod.stoppedByOperator(),
          "what the operator stops is no disruption",
          pod);
      backoff += failure.application() ? 1 : 0;
      disruptions += failure.application() ? 0 : 1;
      restarts.merge(failure.replica().type(), 1, Integer::sum);
    }
    step.wanted().repeated().forEach(id -> restarts.merge(id.type(), 1, Integer::sum));
    compare(after.status());
  }

  private void compare(PyTorchTrainingJobStatus status) {
    boolean right = status.backoffCount() == backoff && status.disruptionCount() == disruptions;
    for (TaskStatus task : status.tasks()) {
      right &= Objects.equals(task.restartCount(), restarts.getOrDefault(task.type(), 0));
    }
    Invariants.require(
        right,
        "the counts of the status are those of the failures that happened",
        "backoff",
        backoff,
        "disruptions",
        disruptions,
        restarts,
        "but the status says",
        status);
  }

  /** Whether a pod cost a restart. */
  boolean charged(String uid) {
    return charged.contains(uid);
  }
}
