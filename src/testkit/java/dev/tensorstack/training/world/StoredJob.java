package dev.tensorstack.training.world;

import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.core.policy.AcceleratorResources;
import dev.tensorstack.training.kind.trainingjob.TrainingJobKind;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJob;

/** A job as the API server has it. */
public final class StoredJob {

  /** The kind with what counts as an accelerator by default. */
  public static final TrainingJobKind KIND = new TrainingJobKind(AcceleratorResources.DEFAULT);

  private StoredJob() {}

  /**
   * The job as the operator reads it.
   *
   * @param stored a job with uid, generation and moment of creation
   * @return the job
   */
  public static TrainingJob read(PyTorchTrainingJob stored) {
    return KIND.read(stored);
  }
}
