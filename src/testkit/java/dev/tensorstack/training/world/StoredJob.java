package dev.tensorstack.training.world;

import dev.tensorstack.training.api.v1beta1.PyTorchTrainingJob;
import dev.tensorstack.training.core.model.JobSpec;
import dev.tensorstack.training.kind.trainingjob.JobNames;
import dev.tensorstack.training.kind.trainingjob.TrainingJobKind;
import dev.tensorstack.training.kind.trainingjob.TrainingJobLabels;
import dev.tensorstack.training.observation.Ledger;
import dev.tensorstack.training.observation.TrainingJob;
import dev.tensorstack.training.policy.AcceleratorResources;

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

  /**
   * A job that nobody has looked at yet.
   *
   * @param namespace its namespace
   * @param name its name
   * @param uid its uid
   * @param spec its spec
   * @return the job
   */
  public static TrainingJob of(String namespace, String name, String uid, JobSpec spec) {
    return new TrainingJob(
        TrainingJobKind.KIND,
        JobNames.of(namespace, name, uid),
        new TrainingJobLabels(name, uid),
        namespace,
        name,
        uid,
        1,
        World.START,
        false,
        spec,
        Ledger.EMPTY,
        null);
  }

  /**
   * A job of one pod that nobody has looked at yet, for what depends on its name alone.
   *
   * @param namespace its namespace
   * @param name its name
   * @param uid its uid
   * @return the job
   */
  public static TrainingJob named(String namespace, String name, String uid) {
    return of(namespace, name, uid, World.model(World.workers(1, "Never")));
  }
}
