package dev.tensorstack.training.kubectl.job;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the operator says of a job, in the same words for both kinds. Of a PyTorchJob, the
 * conditions say what Kubeflow's clients see, and the ledger, where this operator works on it, the
 * rest.
 *
 * @param kind the job's kind
 * @param tree its {@code status}
 */
public record JobStatus(JobKind kind, Tree tree) {

  /** What stands for no reason. */
  private static final String NONE = "-";

  /**
   * Whether an operator has written anything about the job.
   *
   * @return false for a new job
   */
  public boolean isNoticed() {
    return tree.at("conditions").isPresent() || tree.at("phase").isPresent();
  }

  @Nullable Integer observedGeneration() {
    return tree.number("observedGeneration");
  }

  /**
   * The phase.
   *
   * @return the phase; {@link Phase#Pending} while nobody has said anything
   */
  public Phase phase() {
    String phase = kind == JobKind.TRAINING_JOB ? tree.text("phase") : summary().text("phase");
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
    Problem problem = problem();
    return problem == null ? saidReason() : problem.reason();
  }

  private @Nullable String saidReason() {
    String reason =
        kind == JobKind.TRAINING_JOB
            ? condition(decisiveCondition()).text("reason")
            : firstPresent(tree.text("ledger", "outcome", "reason"), summary().text("reason"));
    return NONE.equals(reason) ? null : reason;
  }

  /**
   * A sentence on the phase, in the operator's words.
   *
   * @return the message; null when there is none
   */
  public @Nullable String message() {
    Problem problem = problem();
    return problem == null || problem.message() == null ? saidMessage() : problem.message();
  }

  private @Nullable String saidMessage() {
    if (kind == JobKind.TRAINING_JOB) {
      return condition(decisiveCondition()).text("message");
    }
    String said =
        firstPresent(tree.text("ledger", "outcome", "message"), summary().text("message"));
    return firstPresent(said, lastTrueCondition().text("message"));
  }

  /**
   * What was found wrong with a training whose pods run.
   *
   * @return the problem; null when none is known, or when the job does not run
   */
  public @Nullable Problem problem() {
    if (phase() != Phase.Running) {
      return null;
    }
    Problem told = Problem.of(tree.at("training", "problem"));
    String reason = saidReason();
    return told == null && reason != null && Problem.REASONS.contains(reason)
        ? new Problem(reason, saidMessage(), null)
        : told;
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
   * A condition.
   *
   * @param type its type
   * @return the condition; absent when there is none of this type
   */
  public Tree condition(String type) {
    for (Tree condition : tree.items("conditions")) {
      if (type.equals(condition.text("type"))) {
        return condition;
      }
    }
    return Tree.of(null);
  }

  private Tree lastTrueCondition() {
    Tree last = Tree.of(null);
    for (Tree condition : tree.items("conditions")) {
      last = "True".equals(condition.text("status")) ? condition : last;
    }
    return last;
  }

  private boolean isTrue(String type) {
    return "True".equals(condition(type).text("status"));
  }

  private Tree summary() {
    return tree.at("ledger", "summary");
  }

  /**
   * The failure that was decided on last.
   *
   * @return the failure; null when there was none, or nobody kept it
   */
  public @Nullable PodFailure lastFailure() {
    return PodFailure.of(
        kind == JobKind.TRAINING_JOB ? tree.at("lastFailure") : tree.at("ledger", "lastFailure"));
  }

  /**
   * How many pods are wanted now.
   *
   * @return the number; null when it is not told
   */
  @Nullable Integer replicas() {
    return kind == JobKind.TRAINING_JOB ? tree.number("replicas") : summary().number("replicas");
  }

  /**
   * How many replicas of a type are listed.
   *
   * @param type the type's name
   * @return the number; 0 where the status lists none
   */
  int listedReplicas(String type) {
    for (Tree task : tree.items("tasks")) {
      if (type.equals(task.text("type"))) {
        return task.items("replicas").size();
      }
    }
    return 0;
  }

  /**
   * How many pods run.
   *
   * @return the number
   */
  public int running() {
    if (kind == JobKind.TRAINING_JOB) {
      return tree.count("aggregate", "running");
    }
    return tree.fields("replicaStatuses").values().stream()
        .mapToInt(type -> type.count("active"))
        .sum();
  }

  /**
   * The number of the present attempt.
   *
   * @return from 0
   */
  public int attempt() {
    return kind == JobKind.TRAINING_JOB ? tree.count("attempt") : tree.count("ledger", "attempt");
  }

  /**
   * Restarts that were counted against the limit.
   *
   * @return the number
   */
  public int countedRestarts() {
    return kind == JobKind.TRAINING_JOB
        ? tree.count("backoffCount")
        : tree.count("ledger", "backoff");
  }

  /**
   * Restarts that count against the limit now.
   *
   * @return the number; smaller than {@link #countedRestarts} where only recent ones count
   */
  public int restartsThatCount() {
    Integer recent = tree.number("recentBackoffCount");
    return recent == null ? countedRestarts() : recent;
  }

  /**
   * Restarts after disruptions, which cost nothing.
   *
   * @return the number
   */
  public int disruptions() {
    return kind == JobKind.TRAINING_JOB
        ? tree.count("disruptionCount")
        : tree.count("ledger", "disruptions");
  }

  /**
   * All restarts.
   *
   * @return those that were counted, and those after disruptions
   */
  public int restarts() {
    return countedRestarts() + disruptions();
  }

  /**
   * When the job's pods were created first, or at its last resume.
   *
   * @return the moment; null when there were none
   */
  public @Nullable Instant started() {
    return tree.time("startTime");
  }

  /**
   * When the job ended.
   *
   * @return the moment; null before
   */
  public @Nullable Instant completed() {
    return tree.time("completionTime");
  }

  /**
   * What the training has reported of itself.
   *
   * @return the report; null when there is none
   */
  public @Nullable Training training() {
    return Training.of(tree.at("training"));
  }

  /**
   * The attempts that the status keeps.
   *
   * @return the attempts, the oldest first; empty when it keeps none
   */
  public List<Attempt> history() {
    return Attempt.listOf(tree.items("history"));
  }

  /**
   * When what waits for its delay is started again, as the ledger has it: by the indexes that wait,
   * or the other way round.
   *
   * @return the earliest moment; null when nothing waits
   */
  public @Nullable Instant restartAt() {
    Instant first = null;
    for (Tree type : tree.fields("ledger", "replicas").values()) {
      for (String key : type.fields("restartAt").keySet()) {
        first = earlier(first, Tree.of(key).time());
      }
      for (Tree value : type.fields("restartAt").values()) {
        first = earlier(first, value.time());
      }
    }
    return first;
  }

  private static @Nullable Instant earlier(@Nullable Instant one, @Nullable Instant other) {
    if (one == null || other == null) {
      return one == null ? other : one;
    }
    return one.isBefore(other) ? one : other;
  }
}
