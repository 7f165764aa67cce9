package dev.tensorstack.training.world;

import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.report.LedgerDecoder;
import dev.tensorstack.training.kind.trainingjob.spec.JobNames;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobStatus;
import dev.tensorstack.training.kind.trainingjob.v1beta1.TaskStatus;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A status as a version of the operator has written it that stored no ledger of its own. */
public final class StatusOfBefore {

  private StatusOfBefore() {}

  /**
   * The status without its ledger.
   *
   * @param status a status as it is written now
   * @return what is left for people, from which the ledger can be read as well
   */
  public static PyTorchTrainingJobStatus of(PyTorchTrainingJobStatus status) {
    return new PyTorchTrainingJobStatus(
        status.observedGeneration(),
        status.phase(),
        status.startTime(),
        status.completionTime(),
        status.attempt(),
        status.runMode(),
        status.backoffCount(),
        null,
        status.disruptionCount(),
        status.replicas(),
        status.lastShrinkTime(),
        status.shrinkWaitingSince(),
        status.recentDisruptions(),
        status.selector(),
        status.aggregate(),
        tasks(status),
        status.lastFailure(),
        status.history(),
        status.conditions(),
        status.tensorboard(),
        null,
        status.columns(),
        null);
  }

  /** Such a version wrote by index what scaling took away. */
  private static @Nullable List<TaskStatus> tasks(PyTorchTrainingJobStatus status) {
    if (status.tasks() == null || status.ledger() == null) {
      return status.tasks();
    }
    Ledger ledger = LedgerDecoder.ledger(status.ledger(), new JobNames("any", "ns"));
    return status.tasks().stream()
        .map(
            task ->
                new TaskStatus(
                    task.type(),
                    task.restartCount(),
                    task.omittedReplicas(),
                    task.omitted(),
                    removed(ledger, task.type()),
                    task.replicas()))
        .toList();
  }

  private static @Nullable Map<String, Integer> removed(Ledger ledger, @Nullable String type) {
    Map<String, Integer> removed = new TreeMap<>();
    for (ReplicaId id : ledger.removed()) {
      if (id.type().equals(type)) {
        removed.put(
            Integer.toString(id.index()),
            Objects.requireNonNull(ledger.slots().get(id)).earlierPods());
      }
    }
    return removed.isEmpty() ? null : removed;
  }
}
