package dev.tensorstack.training.observation;

import dev.tensorstack.training.api.v1beta1.PyTorchTrainingJobStatus;
import dev.tensorstack.training.core.model.JobSpec;
import dev.tensorstack.training.naming.JobNames;
import dev.tensorstack.training.naming.ObjectKind;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The job itself.
 *
 * @param kind what kind of object it is
 * @param namespace its namespace
 * @param name its name
 * @param uid its uid
 * @param generation the generation of the spec
 * @param createdAt when it was created
 * @param deleting whether its deletion was asked for
 * @param spec what it is to do
 * @param ledger what the status remembers
 * @param status the status as last written, or null before the first
 */
public record TrainingJob(
    ObjectKind kind,
    String namespace,
    String name,
    String uid,
    long generation,
    Instant createdAt,
    boolean deleting,
    JobSpec spec,
    Ledger ledger,
    @Nullable PyTorchTrainingJobStatus status) {

  /**
   * The names of all that belongs to this job.
   *
   * @return the names
   */
  public JobNames names() {
    return JobNames.of(namespace, name, uid);
  }
}
