package dev.tensorstack.training.observation;

import dev.tensorstack.training.api.v1beta1.PyTorchTrainingJobSpec;
import dev.tensorstack.training.api.v1beta1.PyTorchTrainingJobStatus;
import dev.tensorstack.training.naming.JobNames;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The job itself.
 *
 * @param namespace its namespace
 * @param name its name
 * @param uid its uid
 * @param generation the generation of the spec
 * @param createdAt when it was created
 * @param deleting whether its deletion was asked for
 * @param labels its labels
 * @param spec its spec with all defaults
 * @param status the status as last written, or null before the first
 */
public record TrainingJob(
    String namespace,
    String name,
    String uid,
    long generation,
    Instant createdAt,
    boolean deleting,
    Map<String, String> labels,
    PyTorchTrainingJobSpec spec,
    @Nullable PyTorchTrainingJobStatus status) {

  /**
   * The names of all that belongs to this job.
   *
   * @return the names
   */
  public JobNames names() {
    return JobNames.of(namespace, name, uid);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof TrainingJob that
            && Objects.equals(namespace, that.namespace)
            && Objects.equals(name, that.name)
            && Objects.equals(uid, that.uid)
            && generation == that.generation
            && Objects.equals(createdAt, that.createdAt)
            && deleting == that.deleting
            && Objects.equals(labels, that.labels)
            && Objects.equals(spec, that.spec)
            && Objects.equals(status, that.status));
  }
}
