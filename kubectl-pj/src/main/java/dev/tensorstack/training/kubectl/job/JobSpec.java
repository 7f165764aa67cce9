package dev.tensorstack.training.kubectl.job;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What the user of a job wants, in the same words for both kinds.
 *
 * @param kind the job's kind
 * @param tree its {@code spec}
 */
public record JobSpec(JobKind kind, Tree tree) {

  /** Who works on a PyTorchJob is this operator, under the name of the one it stands for. */
  private static final String TRAINING_OPERATOR = "kubeflow.org/training-operator";

  /**
   * The types of replicas in the order of ranks.
   *
   * @return the types; the first replica of the first one has rank 0
   */
  public List<ReplicaType> types() {
    List<ReplicaType> types = new ArrayList<>();
    if (kind == JobKind.TRAINING_JOB) {
      for (Tree type : tree.items("replicaSpecs")) {
        types.add(type(Objects.requireNonNullElse(type.text("type"), ""), type));
      }
      return types;
    }
    Map<String, Tree> specs = tree.fields("pytorchReplicaSpecs");
    for (String type : List.of("Master", "Worker")) {
      Tree spec = specs.get(type);
      if (spec != null) {
        types.add(type(type.toLowerCase(Locale.ROOT), spec));
      }
    }
    return types;
  }

  private static ReplicaType type(String name, Tree spec) {
    return new ReplicaType(
        name, Objects.requireNonNullElse(spec.number("replicas"), 1), spec.text("restartPolicy"));
  }

  /**
   * How many replicas are declared.
   *
   * @return those of all types
   */
  int replicas() {
    return types().stream().mapToInt(ReplicaType::replicas).sum();
  }

  /**
   * Whether the number of nodes may change while the job runs.
   *
   * @return whether it is elastic
   */
  public boolean isElastic() {
    return kind == JobKind.TRAINING_JOB
        ? tree.flag("elastic", "enabled")
        : tree.at("elasticPolicy").isPresent();
  }

  private Tree elastic() {
    return tree.at(kind == JobKind.TRAINING_JOB ? "elastic" : "elasticPolicy");
  }

  /**
   * The bounds of an elastic job.
   *
   * @return {@code MIN:MAX}
   */
  String bounds() {
    return elastic().text("minReplicas") + ":" + elastic().text("maxReplicas");
  }

  /**
   * Whether an autoscaler chooses the number of nodes.
   *
   * @return whether the spec has metrics for one
   */
  public boolean hasAutoscaler() {
    return !elastic().items("metrics").isEmpty();
  }

  /**
   * Whether the user wants the job paused.
   *
   * @return what the spec says
   */
  public boolean isPauseWanted() {
    return kind == JobKind.TRAINING_JOB
        ? tree.flag("runMode", "pause", "enabled")
        : tree.flag("runPolicy", "suspend");
  }

  /**
   * Whether the pods are there to be looked into, and do not train.
   *
   * @return what the spec says; a PyTorchJob has no debug mode
   */
  public boolean isDebugWanted() {
    return kind == JobKind.TRAINING_JOB && tree.flag("runMode", "debug", "enabled");
  }

  /**
   * Who else works on the job.
   *
   * @return another controller's name; null when the operator works on it
   */
  public @Nullable String foreignManager() {
    String manager =
        kind == JobKind.PYTORCH_JOB ? tree.text("runPolicy", "managedBy") : tree.text("managedBy");
    boolean ours =
        manager == null
            || manager.equals(TRAINING_OPERATOR)
            || manager.startsWith("batch.tensorstack.dev/");
    return ours ? null : manager;
  }

  /**
   * How many restarts the job may have.
   *
   * @return the limit; null when there is none
   */
  public @Nullable Integer backoffLimit() {
    return tree.number("runPolicy", "backoffLimit");
  }

  /**
   * How long the job may take.
   *
   * @return the span; null when there is no limit
   */
  @Nullable Duration activeDeadline() {
    return seconds("activeDeadlineSeconds");
  }

  /**
   * How long the job is kept after its end.
   *
   * @return the span; null when it stays
   */
  @Nullable Duration timeToLive() {
    return seconds("ttlSecondsAfterFinished");
  }

  private @Nullable Duration seconds(String field) {
    Integer seconds = tree.number("runPolicy", field);
    return seconds == null ? null : Duration.ofSeconds(seconds);
  }

  /**
   * The queue of the job's scheduler.
   *
   * @return the queue's name; null when there is none
   */
  @Nullable String queue() {
    for (String scheduler : List.of("t9kScheduler", "volcano")) {
      String queue = tree.text("scheduler", scheduler, "queue");
      if (queue != null) {
        return queue;
      }
    }
    return tree.text("runPolicy", "schedulingPolicy", "queue");
  }
}
