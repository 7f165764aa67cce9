package dev.tensorstack.training.world;

import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobStatus;

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
        status.disruptionCount(),
        status.replicas(),
        status.lastShrinkTime(),
        status.shrinkWaitingSince(),
        status.recentDisruptions(),
        status.selector(),
        status.aggregate(),
        status.tasks(),
        status.lastFailure(),
        status.conditions(),
        status.tensorboard(),
        status.columns(),
        null);
  }
}
