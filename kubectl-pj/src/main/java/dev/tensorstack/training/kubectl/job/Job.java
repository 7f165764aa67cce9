package dev.tensorstack.training.kubectl.job;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A job of either kind as the API server has it, and what only its parts together tell.
 *
 * @param kind the kind
 * @param object the whole object
 */
public record Job(JobKind kind, Tree object) {

  /** Above this number of pods the status does not list them all. */
  private static final int LISTED = 1000;

  private static final String PROGRESS_ANNOTATION = "batch.tensorstack.dev/progress";
  private static final Pattern RESTART = Pattern.compile("\"onFailure\"\\s*:\\s*\"Restart\"");

  private static final String QUEUE_LABEL = "kueue.x-k8s.io/queue-name";

  /** Ends of a job that no container's exit code tells of. */
  private static final List<String> NOT_OF_A_POD = List.of("DeadlineExceeded", "InvalidSpec");

  /**
   * What the user wants.
   *
   * @return the spec, empty for an object without one
   */
  public JobSpec spec() {
    return new JobSpec(kind, object.at("spec"));
  }

  /**
   * What the operator says.
   *
   * @return the status, empty for a new job
   */
  public JobStatus status() {
    return new JobStatus(kind, object.at("status"));
  }

  /**
   * The job's name.
   *
   * @return the name
   */
  public String name() {
    return Objects.requireNonNullElse(object.text("metadata", "name"), "");
  }

  /**
   * The job's namespace.
   *
   * @return the namespace
   */
  public String namespace() {
    return Objects.requireNonNullElse(object.text("metadata", "namespace"), "");
  }

  /**
   * The job's uid.
   *
   * @return the uid; empty for an object that was not stored
   */
  public String uid() {
    return Objects.requireNonNullElse(object.text("metadata", "uid"), "");
  }

  /**
   * Kind and name, for sentences.
   *
   * @return for example {@code PyTorchJob mnist}
   */
  public String title() {
    return kind.kind() + " " + name();
  }

  /**
   * The job as commands are told it.
   *
   * @return for example {@code mnist}, {@code pytorchjob/mnist}
   */
  public String reference() {
    return kind == JobKind.TRAINING_JOB ? name() : kind.word() + "/" + name();
  }

  /**
   * The path of the job in the API.
   *
   * @return a path that begins with a slash
   */
  public String path() {
    return kind.path(namespace(), name());
  }

  /**
   * When the job was created.
   *
   * @return the moment; null for an object that was not stored
   */
  public @Nullable Instant created() {
    return object.time("metadata", "creationTimestamp");
  }

  /**
   * Since when the job is being deleted.
   *
   * @return the moment; null when it is not
   */
  public @Nullable Instant deleting() {
    return object.time("metadata", "deletionTimestamp");
  }

  /**
   * Whether the status speaks of the spec as it is now.
   *
   * @return false when the spec has changed and the operator has not looked at it since
   */
  public boolean isUpToDate() {
    Integer observed = status().observedGeneration();
    Integer generation = object.number("metadata", "generation");
    return observed == null || generation == null || observed >= generation;
  }

  /**
   * How many replicas of a type there are to be now, as the status says it.
   *
   * @param type the type
   * @return the number; that of the spec where the status does not tell it
   */
  public int replicas(ReplicaType type) {
    int listed = status().listedReplicas(type.name());
    return spec().isElastic() && listed > 0 && desired() <= LISTED ? listed : type.replicas();
  }

  /**
   * How many pods are wanted now.
   *
   * @return the number
   */
  public int desired() {
    Integer said = status().replicas();
    return said != null ? said : spec().replicas();
  }

  /**
   * How many nodes there are to be, for tables.
   *
   * @return a number, or {@code MIN:MAX} of an elastic job
   */
  public String nodes() {
    return spec().isElastic() ? spec().bounds() : Integer.toString(desired());
  }

  /**
   * When the job is ended if it has not ended by itself.
   *
   * @return the moment; null when it may take as long as it likes, or has not started
   */
  public @Nullable Instant deadline() {
    return after(status().started(), spec().activeDeadline());
  }

  /**
   * When the job is deleted after its end.
   *
   * @return the moment; null when it stays, or has not ended
   */
  public @Nullable Instant removal() {
    return after(status().completed(), spec().timeToLive());
  }

  private static @Nullable Instant after(@Nullable Instant moment, @Nullable Duration span) {
    return moment == null || span == null ? null : moment.plus(span);
  }

  /**
   * The queue that the job waits in or came through.
   *
   * @return the queue's name; null when there is none
   */
  public @Nullable String queue() {
    String kueue = kueue();
    return kueue == null ? spec().queue() : kueue;
  }

  /**
   * The queue of Kueue.
   *
   * @return the queue's name; null when Kueue has nothing to say
   */
  public @Nullable String kueue() {
    return object.at("metadata", "labels").text(QUEUE_LABEL);
  }

  /**
   * Whether a training that hangs, or computes what is no number, is started again.
   *
   * @return what {@code runPolicy.progress} asks for, which is an annotation of a PyTorchJob; false
   *     when it is only reported
   */
  public boolean isRestartedWhenStuck() {
    if (kind == JobKind.TRAINING_JOB) {
      return "Restart".equals(object.text("spec", "runPolicy", "progress", "onFailure"));
    }
    Tree annotation = object.fields("metadata", "annotations").get(PROGRESS_ANNOTATION);
    String policy = annotation == null ? null : annotation.text();
    return policy != null && RESTART.matcher(policy).find();
  }

  /**
   * The exit code of {@code wait} for a job that has failed.
   *
   * @return the training's own exit code; 1 where none is known, or where something else ended the
   *     job
   */
  public int exitCode() {
    PodFailure failure = status().lastFailure();
    boolean ofPod = !NOT_OF_A_POD.contains(String.valueOf(status().reason()));
    Integer code = failure == null || !ofPod ? null : failure.exitCode();
    return code == null || code == 0 ? 1 : code;
  }
}
