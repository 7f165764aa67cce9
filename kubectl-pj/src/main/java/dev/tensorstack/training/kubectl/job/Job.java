package dev.tensorstack.training.kubectl.job;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A job of either kind as the API server has it: what commands ask of it, in the same words for
 * both. Of a PyTorchJob, the conditions say what Kubeflow's clients see, and the ledger, where this
 * operator works on it, the rest.
 *
 * @param kind the kind
 * @param object the whole object
 */
public record Job(JobKind kind, Tree object) {

  /** What stands for no reason. */
  private static final String NONE = "-";

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
   * Who else works on the job.
   *
   * @return another controller's name; null when the operator works on it
   */
  public @Nullable String foreignManager() {
    String manager =
        kind == JobKind.PYTORCH_JOB ? spec("runPolicy", "managedBy") : spec("managedBy");
    boolean ours =
        manager == null
            || manager.equals("kubeflow.org/training-operator")
            || manager.startsWith("batch.tensorstack.dev/");
    return ours ? null : manager;
  }

  /**
   * Whether an operator has written anything about the job.
   *
   * @return false for a new job
   */
  public boolean isNoticed() {
    return object.at("status", "conditions").isPresent()
        || object.at("status", "phase").isPresent();
  }

  /**
   * Whether the status speaks of the spec as it is now.
   *
   * @return false when the spec has changed and the operator has not looked at it since
   */
  public boolean isUpToDate() {
    Integer observed = object.number("status", "observedGeneration");
    Integer generation = object.number("metadata", "generation");
    return observed == null || generation == null || observed >= generation;
  }

  /**
   * The phase.
   *
   * @return the phase; {@link Phase#Pending} while nobody has said anything
   */
  public Phase phase() {
    String phase =
        kind == JobKind.TRAINING_JOB ? object.text("status", "phase") : summary().text("phase");
    if (kind == JobKind.PYTORCH_JOB) {
      if (isTrue("Failed")) {
        return Phase.Failed;
      }
      if (isTrue("Succeeded")) {
        return Phase.Succeeded;
      }
      if (phase == null && isTrue("Suspended")) {
        return Phase.Paused;
      }
      if (phase == null && isTrue("Running")) {
        return Phase.Running;
      }
    }
    return phase == null ? Phase.Pending : Phase.of(phase);
  }

  /**
   * One word on the phase.
   *
   * @return for example {@code Unschedulable}; null when there is nothing special
   */
  public @Nullable String reason() {
    String reason =
        kind == JobKind.TRAINING_JOB
            ? condition(decisiveCondition()).text("reason")
            : firstPresent(
                object.text("status", "ledger", "outcome", "reason"), summary().text("reason"));
    return NONE.equals(reason) ? null : reason;
  }

  /**
   * A sentence on the phase, in the operator's words.
   *
   * @return the message; null when there is none
   */
  public @Nullable String message() {
    if (kind == JobKind.TRAINING_JOB) {
      return condition(decisiveCondition()).text("message");
    }
    String said =
        firstPresent(
            object.text("status", "ledger", "outcome", "message"), summary().text("message"));
    return firstPresent(said, lastTrueCondition().text("message"));
  }

  private String decisiveCondition() {
    return switch (phase()) {
      case Failed -> "Failed";
      case Succeeded -> "Completed";
      default -> "Running";
    };
  }

  private static @Nullable String firstPresent(@Nullable String one, @Nullable String other) {
    return one == null ? other : one;
  }

  /**
   * A condition of the status.
   *
   * @param type its type
   * @return the condition; absent when there is none of this type
   */
  public Tree condition(String type) {
    for (Tree condition : object.items("status", "conditions")) {
      if (type.equals(condition.text("type"))) {
        return condition;
      }
    }
    return Tree.of(null);
  }

  private Tree lastTrueCondition() {
    Tree last = Tree.of(null);
    for (Tree condition : object.items("status", "conditions")) {
      last = "True".equals(condition.text("status")) ? condition : last;
    }
    return last;
  }

  private boolean isTrue(String type) {
    return "True".equals(condition(type).text("status"));
  }

  private Tree summary() {
    return object.at("status", "ledger", "summary");
  }

  private @Nullable String spec(String... path) {
    return object.at("spec").text(path);
  }

  /**
   * The failure that was decided on last.
   *
   * @return the failure; null when there was none, or nobody kept it
   */
  public @Nullable PodFailure lastFailure() {
    return PodFailure.of(
        kind == JobKind.TRAINING_JOB
            ? object.at("status", "lastFailure")
            : object.at("status", "ledger", "lastFailure"));
  }

  /**
   * The types of replicas in the order of ranks.
   *
   * @return the types; the first replica of the first one has rank 0
   */
  public List<ReplicaType> types() {
    List<ReplicaType> types = new ArrayList<>();
    if (kind == JobKind.TRAINING_JOB) {
      for (Tree type : object.items("spec", "replicaSpecs")) {
        types.add(replicaType(Objects.requireNonNullElse(type.text("type"), ""), type));
      }
      return types;
    }
    Map<String, Tree> specs = object.fields("spec", "pytorchReplicaSpecs");
    for (String type : List.of("Master", "Worker")) {
      Tree spec = specs.get(type);
      if (spec != null) {
        types.add(replicaType(type.toLowerCase(Locale.ROOT), spec));
      }
    }
    return types;
  }

  private static ReplicaType replicaType(String name, Tree spec) {
    return new ReplicaType(
        name, Objects.requireNonNullElse(spec.number("replicas"), 1), spec.text("restartPolicy"));
  }

  /**
   * How many replicas of a type there are to be now, as the status says it.
   *
   * @param type the type
   * @return the number; that of the spec where the status does not tell it
   */
  public int replicas(ReplicaType type) {
    if (isElastic()) {
      for (Tree task : object.items("status", "tasks")) {
        int listed = task.items("replicas").size();
        if (type.name().equals(task.text("type")) && listed > 0 && desired() <= 1000) {
          return listed;
        }
      }
    }
    return type.replicas();
  }

  /**
   * How many pods are wanted now.
   *
   * @return the number
   */
  public int desired() {
    Integer said =
        kind == JobKind.TRAINING_JOB
            ? object.number("status", "replicas")
            : summary().number("replicas");
    return said != null ? said : types().stream().mapToInt(ReplicaType::replicas).sum();
  }

  /**
   * How many pods run, as the status says it.
   *
   * @return the number
   */
  public int running() {
    if (kind == JobKind.TRAINING_JOB) {
      return object.count("status", "aggregate", "running");
    }
    return object.fields("status", "replicaStatuses").values().stream()
        .mapToInt(type -> type.count("active"))
        .sum();
  }

  /**
   * How many nodes there are to be, for tables.
   *
   * @return a number, or {@code MIN:MAX} of an elastic job
   */
  public String nodes() {
    if (!isElastic()) {
      return Integer.toString(desired());
    }
    Tree elastic = object.at("spec", kind == JobKind.TRAINING_JOB ? "elastic" : "elasticPolicy");
    return elastic.text("minReplicas") + ":" + elastic.text("maxReplicas");
  }

  /**
   * Whether the number of nodes may change while the job runs.
   *
   * @return whether it is elastic
   */
  public boolean isElastic() {
    return kind == JobKind.TRAINING_JOB
        ? object.flag("spec", "elastic", "enabled")
        : object.at("spec", "elasticPolicy").isPresent();
  }

  /**
   * Whether the user wants the job paused.
   *
   * @return what the spec says
   */
  public boolean isPauseWanted() {
    return kind == JobKind.TRAINING_JOB
        ? object.flag("spec", "runMode", "pause", "enabled")
        : object.flag("spec", "runPolicy", "suspend");
  }

  /**
   * Whether the pods are there to be looked into, and do not train.
   *
   * @return what the spec says; a PyTorchJob has no debug mode
   */
  public boolean isDebugWanted() {
    return kind == JobKind.TRAINING_JOB && object.flag("spec", "runMode", "debug", "enabled");
  }

  /**
   * The number of the present attempt.
   *
   * @return from 0
   */
  public int attempt() {
    return kind == JobKind.TRAINING_JOB
        ? object.count("status", "attempt")
        : object.count("status", "ledger", "attempt");
  }

  /**
   * Restarts that were counted against the limit.
   *
   * @return the number
   */
  public int countedRestarts() {
    return kind == JobKind.TRAINING_JOB
        ? object.count("status", "backoffCount")
        : object.count("status", "ledger", "backoff");
  }

  /**
   * Restarts that count against the limit now.
   *
   * @return the number; smaller than {@link #countedRestarts} where only recent ones count
   */
  public int restartsThatCount() {
    Integer recent = object.number("status", "recentBackoffCount");
    return recent == null ? countedRestarts() : recent;
  }

  /**
   * Restarts after disruptions, which cost nothing.
   *
   * @return the number
   */
  public int disruptions() {
    return kind == JobKind.TRAINING_JOB
        ? object.count("status", "disruptionCount")
        : object.count("status", "ledger", "disruptions");
  }

  /**
   * How many restarts the job may have.
   *
   * @return the limit; null when there is none
   */
  public @Nullable Integer backoffLimit() {
    return object.number("spec", "runPolicy", "backoffLimit");
  }

  /**
   * When the job's pods were created first, or at its last resume.
   *
   * @return the moment; null when there were none
   */
  public @Nullable Instant started() {
    return object.time("status", "startTime");
  }

  /**
   * When the job ended.
   *
   * @return the moment; null before
   */
  public @Nullable Instant completed() {
    return object.time("status", "completionTime");
  }

  /**
   * When the job is ended if it has not ended by itself.
   *
   * @return the moment; null when it may take as long as it likes, or has not started
   */
  public @Nullable Instant deadline() {
    return after(started(), object.number("spec", "runPolicy", "activeDeadlineSeconds"));
  }

  /**
   * When the job is deleted after its end.
   *
   * @return the moment; null when it stays, or has not ended
   */
  public @Nullable Instant removal() {
    return after(completed(), object.number("spec", "runPolicy", "ttlSecondsAfterFinished"));
  }

  private static @Nullable Instant after(@Nullable Instant moment, @Nullable Integer seconds) {
    return moment == null || seconds == null ? null : moment.plus(Duration.ofSeconds(seconds));
  }

  /**
   * What the training has reported of itself.
   *
   * @return the report; null when there is none
   */
  public @Nullable Training training() {
    return Training.of(object.at("status", "training"));
  }

  /**
   * The attempts that the status keeps.
   *
   * @return the attempts, the oldest first; empty when it keeps none
   */
  public List<Attempt> history() {
    return Attempt.listOf(object.items("status", "history"));
  }

  /**
   * The queue that the job waits in or came through.
   *
   * @return the queue's name; null when there is none
   */
  public @Nullable String queue() {
    String kueue = object.at("metadata", "labels").text("kueue.x-k8s.io/queue-name");
    if (kueue != null) {
      return kueue;
    }
    for (String scheduler : List.of("t9kScheduler", "volcano")) {
      String queue = object.text("spec", "scheduler", scheduler, "queue");
      if (queue != null) {
        return queue;
      }
    }
    return object.text("spec", "runPolicy", "schedulingPolicy", "queue");
  }

  /**
   * The exit code of {@code wait} for a job that has failed.
   *
   * @return the training's own exit code; 1 where none is known, or where something else ended the
   *     job
   */
  public int exitCode() {
    String reason = reason();
    PodFailure failure = lastFailure();
    boolean ofPod = reason == null || !List.of("DeadlineExceeded", "InvalidSpec").contains(reason);
    Integer code = failure == null || !ofPod ? null : failure.exitCode();
    return code == null || code == 0 ? 1 : code;
  }
}
