package dev.tensorstack.training.kind;

import dev.tensorstack.training.core.model.JobSpec;
import dev.tensorstack.training.core.model.JobSummary;
import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.core.naming.JobNaming;
import dev.tensorstack.training.core.naming.ObjectKind;
import dev.tensorstack.training.core.observe.Observation;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.core.report.JobEvent;
import dev.tensorstack.training.core.report.JobReport;
import io.fabric8.kubernetes.client.CustomResource;
import java.time.Instant;
import java.util.List;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * A kind of job: all that the engine has to know of its API. It translates the object that a user
 * writes into the engine's model, and the engine's report into the status; it decides nothing. Each
 * method is a pure function.
 *
 * @param <R> the Java type of the object
 */
public interface JobKind<R extends CustomResource<?, ?>> {

  /**
   * What the API server calls it.
   *
   * @return group, version, kind and plural
   */
  ObjectKind kind();

  /**
   * The Java type of the object.
   *
   * @return a class that can be made without arguments
   */
  Class<R> type();

  /**
   * A copy that can be given other metadata, another spec or another status. The framework asks for
   * one at each look at a job.
   *
   * @param resource any job
   * @return a new object with metadata of its own; spec and status may be the same, as nobody
   *     changes what is in them
   */
  R copy(R resource);

  /**
   * Whether this operator works on a job; another one's is not touched at all.
   *
   * @param resource any job; one whose spec cannot be read names nobody
   * @return false when the job names somebody else
   */
  default boolean isManagedHere(R resource) {
    return true;
  }

  /**
   * What to tell of a job on which this operator does not work.
   *
   * @param resource a job that is not managed here
   * @return an event; null when somebody else who is known works on it
   */
  default @Nullable JobEvent leftAlone(R resource) {
    return null;
  }

  /**
   * What selects the pods and other objects of all jobs of this kind: the watches ask for nothing
   * else.
   *
   * @return a label selector
   */
  String watchedLabels();

  /**
   * Whether a job can have a TensorBoard; Deployments are only watched for kinds whose jobs can.
   *
   * @return false when the operator needs no right to Deployments for this kind
   */
  boolean hasTensorboard();

  /**
   * The kinds of entry that a job of this kind may have had in a queue, before it left it.
   *
   * @return kinds; empty when jobs of this kind wait in none
   */
  default List<ObjectKind> queueKinds() {
    return List.of();
  }

  /**
   * The names of what belongs to a job, also of one that cannot be read.
   *
   * @param namespace the job's namespace
   * @param name the job's name
   * @param uid the job's uid
   * @return the names
   */
  JobNaming names(String namespace, String name, String uid);

  /**
   * Reads a job: the spec with all defaults, the names and labels, what the status remembers.
   *
   * @param resource a job that is readable
   * @return the job as the engine sees it
   */
  TrainingJob read(R resource);

  /**
   * Reads a job whose spec was read before; completing it takes longer than all else.
   *
   * @param resource a job that is readable
   * @param spec what {@link #read} has said of the same generation, with the same labels and
   *     annotations
   * @return what {@link #read} would say
   */
  default TrainingJob read(R resource, JobSpec spec) {
    return read(resource);
  }

  /**
   * Applies the rules of admission, for jobs that came while no webhook was there.
   *
   * @param resource a job that is readable
   * @return what cannot work; empty when all is well
   */
  List<Violation> violations(R resource);

  /**
   * Why a job cannot be read.
   *
   * @param resource any job
   * @return the field and the problem; null when the job can be read
   */
  @Nullable String unreadable(R resource);

  /**
   * What the status says in few words; asked of each job each second.
   *
   * @param resource any job
   * @return the summary; null when nothing was said about the job yet
   */
  @Nullable JobSummary summary(R resource);

  /**
   * Writes a report into the status.
   *
   * @param resource the job as it is stored; it is not changed
   * @param job the same, as {@link #read} has read it
   * @param report what is said about the job
   * @param now the present time; it only appears where something changed
   * @return an object of the same name, uid and resource version with the next status, which equals
   *     the stored one when there is nothing new to say
   */
  R reported(R resource, TrainingJob job, JobReport report, Instant now);

  /**
   * Whether the next status says something that other programs wait for and the report does not
   * show as a change: it is then written as soon as a new phase would be.
   *
   * @param stored the job as it is stored
   * @param next the same with the next status
   * @return false when the next status may wait as the progress of pods does
   */
  default boolean isAwaited(R stored, R next) {
    return false;
  }

  /**
   * The events of a change, in the kind's own words.
   *
   * @param stored the job as it is stored
   * @param next the same with the next status
   * @param seen the job's world
   * @param report what is said about the job
   * @param found what happened, in the operator's words
   * @return what to tell, in order
   */
  default List<JobEvent> events(
      R stored, R next, Observation seen, JobReport report, List<JobEvent> found) {
    return found;
  }

  /**
   * The value of the label {@code framework} of the metrics that Kubeflow's operator has of jobs.
   *
   * @return null for a kind that Kubeflow's operator does not have
   */
  default @Nullable String framework() {
    return null;
  }

  /**
   * The number of pods that the subresource {@code scale} reads, where the object lacks it: jobs
   * that came while no webhook was there.
   *
   * @param resource a job that is readable
   * @return the number to store; empty when it is there, or cannot be told
   */
  OptionalInt missingScale(R resource);
}
