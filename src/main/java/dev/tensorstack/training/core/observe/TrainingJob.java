package dev.tensorstack.training.core.observe;

import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.model.JobSpec;
import dev.tensorstack.training.core.model.JobSummary;
import dev.tensorstack.training.core.naming.JobLabels;
import dev.tensorstack.training.core.naming.JobNaming;
import dev.tensorstack.training.core.naming.ObjectKind;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The job itself.
 *
 * @param kind what kind of object it is
 * @param names the names of all that belongs to it
 * @param labels the labels of all that belongs to it
 * @param namespace its namespace
 * @param name its name
 * @param uid its uid
 * @param generation the generation of the spec
 * @param createdAt when it was created
 * @param deleting whether its deletion was asked for
 * @param spec what it is to do
 * @param ledger what the status remembers
 * @param summary what was said about it last, or null before the first time
 */
public record TrainingJob(
    ObjectKind kind,
    JobNaming names,
    JobLabels labels,
    String namespace,
    String name,
    String uid,
    long generation,
    Instant createdAt,
    boolean deleting,
    JobSpec spec,
    Ledger ledger,
    @Nullable JobSummary summary) {

  /**
   * One pod of a replica, told from those before and after it.
   *
   * @param podName the pod's name
   * @param earlierPods how many pods the replica has had before
   * @return the pod's name where that is enough
   */
  public String podOfReplica(String podName, int earlierPods) {
    return spec.traits().reusesPodNames() ? podName + "/" + earlierPods : podName;
  }

  /**
   * The same job, of which more is remembered.
   *
   * @param other what is remembered
   * @return a job that is the same but for it
   */
  public TrainingJob withLedger(Ledger other) {
    return new TrainingJob(
        kind,
        names,
        labels,
        namespace,
        name,
        uid,
        generation,
        createdAt,
        deleting,
        spec,
        other,
        summary);
  }

  /**
   * The same job with another spec.
   *
   * @param other the spec
   * @return a job that is the same but for it
   */
  public TrainingJob withSpec(JobSpec other) {
    return new TrainingJob(
        kind,
        names,
        labels,
        namespace,
        name,
        uid,
        generation,
        createdAt,
        deleting,
        other,
        ledger,
        summary);
  }
}
