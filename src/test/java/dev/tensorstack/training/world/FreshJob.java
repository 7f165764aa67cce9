package dev.tensorstack.training.world;

import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.model.JobSpec;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.kind.trainingjob.TrainingJobKind;
import dev.tensorstack.training.kind.trainingjob.TrainingJobLabels;
import dev.tensorstack.training.kind.trainingjob.spec.JobNames;

/** A job that nobody has looked at yet. */
public final class FreshJob {

  private FreshJob() {}

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
   * A job with another ledger.
   *
   * @param job a job
   * @param ledger what is remembered of it
   * @return the job
   */
  public static TrainingJob with(TrainingJob job, Ledger ledger) {
    return new TrainingJob(
        job.kind(),
        job.names(),
        job.labels(),
        job.namespace(),
        job.name(),
        job.uid(),
        job.generation(),
        job.createdAt(),
        job.deleting(),
        job.spec(),
        ledger,
        job.summary());
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
