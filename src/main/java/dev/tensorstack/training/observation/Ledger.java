package dev.tensorstack.training.observation;

import dev.tensorstack.training.api.v1beta1.JobCondition;
import dev.tensorstack.training.api.v1beta1.LastFailure;
import dev.tensorstack.training.api.v1beta1.PyTorchTrainingJobStatus;
import dev.tensorstack.training.api.v1beta1.ReplicaStatus;
import dev.tensorstack.training.api.v1beta1.TaskStatus;
import dev.tensorstack.training.naming.Conditions;
import dev.tensorstack.training.naming.JobNames;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What must be remembered of a job beyond its pods' lives. It is read from the status and written
 * back into it; a decision counts once the status that holds it is stored, and its actions follow
 * only then.
 *
 * @param attempt the present attempt, from 0
 * @param backoffCount restarts counted against the limit
 * @param disruptionCount restarts after disruptions
 * @param restartCounts restarts by the type that caused them
 * @param slots the present pod of each replica that the status has listed
 * @param startTime when the first pods were created, again at a resume; null before
 * @param completionTime when the job ended; null before
 * @param outcome how the job ended; null before
 * @param lastFailure the failure decided on last, or null
 */
public record Ledger(
    int attempt,
    int backoffCount,
    int disruptionCount,
    Map<String, Integer> restartCounts,
    Map<ReplicaId, Slot> slots,
    @Nullable Instant startTime,
    @Nullable Instant completionTime,
    @Nullable Outcome outcome,
    @Nullable LastFailure lastFailure) {

  /**
   * The present pod of one replica.
   *
   * @param earlierPods how many pods the replica has had before it
   * @param uid its uid, or null when no status has listed it yet
   */
  public record Slot(int earlierPods, @Nullable String uid) {}

  /**
   * How a job ended.
   *
   * @param succeeded well or badly
   * @param reason Succeeded, or the reason of the Failed condition
   * @param message a sentence for people
   */
  public record Outcome(boolean succeeded, String reason, String message) {}

  /**
   * Reads the ledger from a status.
   *
   * @param status the status, or null for a job that has none yet
   * @param names the names of the job
   * @return the ledger; all zero for a job without status
   */
  public static Ledger of(@Nullable PyTorchTrainingJobStatus status, JobNames names) {
    if (status == null) {
      return new Ledger(0, 0, 0, Map.of(), Map.of(), null, null, null, null);
    }
    Map<String, Integer> restartCounts = new LinkedHashMap<>();
    Map<ReplicaId, Slot> slots = new LinkedHashMap<>();
    for (TaskStatus task : orEmpty(status.tasks())) {
      if (task.type() == null) {
        continue;
      }
      if (task.restartCount() != null && task.restartCount() > 0) {
        restartCounts.put(task.type(), task.restartCount());
      }
      for (ReplicaStatus replica : orEmpty(task.replicas())) {
        addSlot(slots, names, task.type(), replica);
      }
    }
    return new Ledger(
        Objects.requireNonNullElse(status.attempt(), 0),
        Objects.requireNonNullElse(status.backoffCount(), 0),
        Objects.requireNonNullElse(status.disruptionCount(), 0),
        restartCounts,
        slots,
        instant(status.startTime()),
        instant(status.completionTime()),
        outcome(orEmpty(status.conditions())),
        status.lastFailure());
  }

  private static void addSlot(
      Map<ReplicaId, Slot> slots, JobNames names, String type, ReplicaStatus replica) {
    String name = replica.name();
    String prefix = names.base() + "-" + type + "-";
    if (name == null || !name.startsWith(prefix)) {
      return;
    }
    String rest = name.substring(prefix.length());
    int suffix = rest.indexOf("-r");
    try {
      int index = Integer.parseInt(suffix < 0 ? rest : rest.substring(0, suffix));
      int earlierPods = suffix < 0 ? 0 : Integer.parseInt(rest.substring(suffix + 2));
      slots.put(new ReplicaId(type, index), new Slot(earlierPods, replica.uid()));
    } catch (NumberFormatException notOneOfOurNames) {
      // A status that somebody edited: the pods themselves still say what exists.
      return;
    }
  }

  private static @Nullable Outcome outcome(List<JobCondition> conditions) {
    Outcome outcome = null;
    for (JobCondition condition : conditions) {
      if (!"True".equals(condition.status())) {
        continue;
      }
      String reason = Objects.requireNonNullElse(condition.reason(), "-");
      String message = Objects.requireNonNullElse(condition.message(), "");
      if (Conditions.FAILED.equals(condition.type())) {
        return new Outcome(false, reason, message);
      }
      if (Conditions.COMPLETED.equals(condition.type())) {
        outcome = new Outcome(Conditions.Reasons.SUCCEEDED.equals(reason), reason, message);
      }
    }
    return outcome;
  }

  private static @Nullable Instant instant(@Nullable String text) {
    return text == null ? null : Instant.parse(text);
  }

  private static <T> List<T> orEmpty(@Nullable List<T> list) {
    return list == null ? List.of() : list;
  }

  /**
   * Whether a decision lies between this ledger and another: a restart, an end. Such a change must
   * be stored before anything is done because of it. That a pod's uid or the start time became
   * known is no decision.
   *
   * @param other the ledger to compare with
   * @return true when the two disagree on a decision
   */
  public boolean differsInDecision(Ledger other) {
    return attempt != other.attempt
        || backoffCount != other.backoffCount
        || disruptionCount != other.disruptionCount
        || !restartCounts.equals(other.restartCounts)
        || !Objects.equals(outcome, other.outcome);
  }

  /**
   * The same ledger with the job ended.
   *
   * @param end how it ended
   * @param time when
   * @return a new ledger
   */
  public Ledger ended(Outcome end, Instant time) {
    return new Ledger(
        attempt,
        backoffCount,
        disruptionCount,
        restartCounts,
        slots,
        startTime,
        time,
        end,
        lastFailure);
  }

  /**
   * The same ledger with another last failure.
   *
   * @param failure the failure
   * @return a new ledger
   */
  public Ledger withLastFailure(LastFailure failure) {
    return new Ledger(
        attempt,
        backoffCount,
        disruptionCount,
        restartCounts,
        slots,
        startTime,
        completionTime,
        outcome,
        failure);
  }

  /**
   * The same ledger with the job started.
   *
   * @param time when the first pods were created
   * @return a new ledger
   */
  public Ledger started(Instant time) {
    return new Ledger(
        attempt,
        backoffCount,
        disruptionCount,
        restartCounts,
        slots,
        time,
        completionTime,
        outcome,
        lastFailure);
  }

  /**
   * The same ledger with other pods in the slots.
   *
   * @param present the present pod of each replica
   * @return a new ledger
   */
  public Ledger withSlots(Map<ReplicaId, Slot> present) {
    return new Ledger(
        attempt,
        backoffCount,
        disruptionCount,
        restartCounts,
        present,
        startTime,
        completionTime,
        outcome,
        lastFailure);
  }
}
