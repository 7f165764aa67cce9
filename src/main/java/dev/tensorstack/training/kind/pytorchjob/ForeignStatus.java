package dev.tensorstack.training.kind.pytorchjob;

import static java.util.Objects.requireNonNullElse;

import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.model.JobPhase;
import dev.tensorstack.training.core.model.JobSummary;
import dev.tensorstack.training.core.model.ReplicaCounts;
import dev.tensorstack.training.core.model.RunModeKind;
import dev.tensorstack.training.core.naming.Conditions.Reasons;
import dev.tensorstack.training.kind.pytorchjob.v1.JobCondition;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJobStatus;
import dev.tensorstack.training.kind.pytorchjob.v1.ReplicaStatus;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The status of a job that Kubeflow's operator has worked on, and this one has not yet: what stands
 * there is gone on with. Counts begin with what the pods show.
 */
final class ForeignStatus {

  private static final String TRUE = "True";

  private final PyTorchJobStatus status;

  private ForeignStatus(PyTorchJobStatus status) {
    this.status = status;
  }

  /**
   * Reads a status as that of another operator.
   *
   * @param status as it is stored; null when there is none
   * @return null when nobody has said anything about the job, or this operator has
   */
  static @Nullable ForeignStatus of(@Nullable PyTorchJobStatus status) {
    return status == null
            || status.ledger() != null
            || requireNonNullElse(status.conditions(), List.of()).isEmpty()
        ? null
        : new ForeignStatus(status);
  }

  /** Whether the job has ended: it stays as it is. */
  boolean hasEnded() {
    return end() != null;
  }

  /** What is to be remembered of it. */
  Ledger ledger() {
    JobCondition end = end();
    boolean succeeded = isTrue(Conditions.SUCCEEDED);
    boolean suspended = isTrue(Conditions.SUSPENDED);
    Instant start = time(status.startTime());
    return new Ledger(
        Ledger.Counts.ZERO,
        suspended ? Ledger.Pause.PAUSED : Ledger.Pause.NONE,
        null,
        start == null || suspended ? null : RunModeKind.TRAIN,
        Map.of(),
        Set.of(),
        List.of(),
        null,
        null,
        Map.of(),
        Set.of(),
        start,
        end == null ? null : completionTime(end),
        end == null
            ? null
            : new Ledger.Outcome(
                succeeded,
                succeeded ? Reasons.SUCCEEDED : Reasons.REPLICA_FAILED,
                requireNonNullElse(end.message(), "")),
        null,
        null,
        null);
  }

  /**
   * The same in few words.
   *
   * @param replicas how many pods the spec wants
   */
  JobSummary summary(int replicas) {
    int active = sum(ReplicaStatus::active);
    int succeeded = sum(ReplicaStatus::succeeded);
    int failed = sum(ReplicaStatus::failed);
    // Its pods were there; those that come now are replacements.
    boolean hasRun = isTrue(Conditions.RUNNING) || isTrue(Conditions.RESTARTING) || hasEnded();
    JobCondition last = status.conditions().get(status.conditions().size() - 1);
    return new JobSummary(
        0,
        phase(),
        Reasons.NONE,
        last == null ? "" : requireNonNullElse(last.message(), ""),
        hasRun,
        hasRun,
        null,
        replicas,
        new ReplicaCounts(0, 0, active, succeeded, failed, 0, 0));
  }

  private JobPhase phase() {
    if (hasEnded()) {
      return isTrue(Conditions.SUCCEEDED) ? JobPhase.Succeeded : JobPhase.Failed;
    }
    if (isTrue(Conditions.SUSPENDED)) {
      return JobPhase.Paused;
    }
    return isTrue(Conditions.RUNNING) ? JobPhase.Running : JobPhase.Pending;
  }

  /** Kubeflow's operator leaves the time out of some failures. */
  private Instant completionTime(JobCondition end) {
    Instant given = time(status.completionTime());
    Instant condition = given == null ? time(end.lastTransitionTime()) : given;
    Instant start = condition == null ? time(status.startTime()) : condition;
    return start == null ? Instant.EPOCH : start;
  }

  private @Nullable JobCondition end() {
    JobCondition succeeded = find(Conditions.SUCCEEDED);
    return succeeded == null ? find(Conditions.FAILED) : succeeded;
  }

  private boolean isTrue(String type) {
    return find(type) != null;
  }

  private @Nullable JobCondition find(String type) {
    return status.conditions().stream()
        .filter(one -> one != null && type.equals(one.type()) && TRUE.equals(one.status()))
        .findFirst()
        .orElse(null);
  }

  private int sum(Function<ReplicaStatus, @Nullable Integer> count) {
    return requireNonNullElse(status.replicaStatuses(), Map.<String, ReplicaStatus>of())
        .values()
        .stream()
        .filter(one -> one != null)
        .mapToInt(one -> requireNonNullElse(count.apply(one), 0))
        .sum();
  }

  private static @Nullable Instant time(@Nullable String text) {
    try {
      return text == null ? null : Instant.parse(text);
    } catch (DateTimeException unreadable) {
      return null;
    }
  }
}
