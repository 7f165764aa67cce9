package dev.tensorstack.training.status;

import dev.tensorstack.training.api.v1beta1.JobCondition;
import dev.tensorstack.training.api.v1beta1.JobPhase;
import dev.tensorstack.training.api.v1beta1.PyTorchTrainingJobStatus;
import dev.tensorstack.training.api.v1beta1.ReplicaAggregate;
import dev.tensorstack.training.core.model.FailureCause;
import dev.tensorstack.training.naming.Conditions;
import dev.tensorstack.training.naming.Conditions.Reasons;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a change of the status says for the first time (docs/reference/metrics.md). A status is
 * stored once, on top of the one that was read, so what is counted when it is stored is counted
 * once, whoever stores it and however often the operator is started anew.
 */
public final class StatusTransitions {

  private StatusTransitions() {}

  /**
   * What a stored status says that the one before did not.
   *
   * @param created when the job was created
   * @param before the stored status before, or null
   * @param after the status that was stored
   * @param broken since when pods are missing after a failure, as {@link #brokenSince} said at the
   *     write before; null when none is
   * @param now when it was stored
   * @return the facts, in the order of their happening; mostly none
   */
  public static List<JobFact> between(
      Instant created,
      @Nullable PyTorchTrainingJobStatus before,
      PyTorchTrainingJobStatus after,
      @Nullable Instant broken,
      Instant now) {
    List<JobFact> facts = new ArrayList<>();
    if (before == null || before.phase() == null) {
      facts.add(new JobFact.Created());
    }
    if (before != null && before.completionTime() != null) {
      return facts;
    }
    if (isFirstRun(before, after)) {
      if (!hasRun(before) && hasRun(after)) {
        facts.add(new JobFact.FirstPodRan(elapsed(created, now)));
      }
      if (isTrue(after, Conditions.RUNNING)) {
        facts.add(new JobFact.AllPodsRan(elapsed(created, now)));
      }
    }
    restarts(FailureCause.Application, backoffs(after) - backoffs(before), facts);
    restarts(FailureCause.Disruption, disruptions(after) - disruptions(before), facts);
    if (broken != null && isWhole(after)) {
      facts.add(new JobFact.Recovered(elapsed(broken, now)));
    }
    if (after.completionTime() != null) {
      facts.add(ended(after));
    }
    return facts;
  }

  /**
   * Since when pods of a job are missing after a failure. It is remembered by the process alone: a
   * recovery during which the operator ends is not measured.
   *
   * @param before the stored status before, or null
   * @param after the status that was stored
   * @param broken what was said at the write before
   * @param now when it was stored
   * @return the moment of the first failure that is not mended yet, or null
   */
  public static @Nullable Instant brokenSince(
      @Nullable PyTorchTrainingJobStatus before,
      PyTorchTrainingJobStatus after,
      @Nullable Instant broken,
      Instant now) {
    boolean otherwiseStopped =
        after.completionTime() != null
            || pauseReason(after).equals(Reasons.PAUSED)
            || (before != null
                && before.runMode() != null
                && !before.runMode().equals(after.runMode()));
    if (otherwiseStopped) {
      return null;
    }
    boolean restarted =
        backoffs(after) > backoffs(before) || disruptions(after) > disruptions(before);
    if (restarted && broken == null) {
      Instant failed = after.lastFailure() == null ? null : instant(after.lastFailure().time());
      // The clock of the failure is that of a node.
      return failed == null || failed.isAfter(now) ? now : failed;
    }
    return !restarted && isWhole(after) ? null : broken;
  }

  private static void restarts(FailureCause cause, int times, List<JobFact> facts) {
    if (times > 0) {
      facts.add(new JobFact.Restarted(cause, times));
    }
  }

  private static JobFact.Ended ended(PyTorchTrainingJobStatus after) {
    boolean succeeded = JobPhase.Succeeded.name().equals(after.phase());
    JobCondition condition = condition(after, succeeded ? Conditions.COMPLETED : Conditions.FAILED);
    Instant start = instant(after.startTime());
    Instant end = instant(after.completionTime());
    return new JobFact.Ended(
        succeeded,
        condition == null ? Reasons.NONE : Objects.requireNonNullElse(condition.reason(), "-"),
        start == null || end == null ? null : elapsed(start, end));
  }

  /**
   * Whether a job has not run before, and no restart, pause or other run mode lies behind it: then
   * it has not been Running since before it was initialized.
   */
  private static boolean isFirstRun(
      @Nullable PyTorchTrainingJobStatus before, PyTorchTrainingJobStatus after) {
    if (before == null) {
      return isUntouched(after);
    }
    if (!isUntouched(before) || !isUntouched(after) || isTrue(before, Conditions.RUNNING)) {
      return false;
    }
    Instant notRunning = since(before, Conditions.RUNNING);
    Instant initialized = since(before, Conditions.INITIALIZED);
    return notRunning == null || initialized == null || !notRunning.isAfter(initialized);
  }

  private static boolean isUntouched(PyTorchTrainingJobStatus status) {
    return Objects.requireNonNullElse(status.attempt(), 0) == 0
        && backoffs(status) == 0
        && disruptions(status) == 0
        && pauseReason(status).equals(Reasons.NONE);
  }

  /** Pods that are lost or deleted may have run. */
  private static boolean hasRun(@Nullable PyTorchTrainingJobStatus status) {
    ReplicaAggregate counts = status == null ? null : status.aggregate();
    return counts != null
        && counts.running()
                + counts.succeeded()
                + counts.failed()
                + counts.unknown()
                + counts.deleted()
            > 0;
  }

  private static boolean isWhole(PyTorchTrainingJobStatus status) {
    ReplicaAggregate counts = status.aggregate();
    return counts != null
        && status.replicas() != null
        && isTrue(status, Conditions.RUNNING)
        && counts.running() + counts.succeeded() >= status.replicas();
  }

  private static int backoffs(@Nullable PyTorchTrainingJobStatus status) {
    return status == null ? 0 : Objects.requireNonNullElse(status.backoffCount(), 0);
  }

  private static int disruptions(@Nullable PyTorchTrainingJobStatus status) {
    return status == null ? 0 : Objects.requireNonNullElse(status.disruptionCount(), 0);
  }

  private static String pauseReason(PyTorchTrainingJobStatus status) {
    JobCondition paused = condition(status, Conditions.PAUSED);
    return paused == null || paused.reason() == null ? Reasons.NONE : paused.reason();
  }

  private static boolean isTrue(PyTorchTrainingJobStatus status, String type) {
    JobCondition condition = condition(status, type);
    return condition != null && "True".equals(condition.status());
  }

  private static @Nullable Instant since(PyTorchTrainingJobStatus status, String type) {
    JobCondition condition = condition(status, type);
    return condition == null ? null : instant(condition.lastTransitionTime());
  }

  private static @Nullable JobCondition condition(PyTorchTrainingJobStatus status, String type) {
    if (status.conditions() == null) {
      return null;
    }
    return status.conditions().stream()
        .filter(condition -> type.equals(condition.type()))
        .findFirst()
        .orElse(null);
  }

  /** Null also for what somebody wrote by hand and is no time. */
  private static @Nullable Instant instant(@Nullable String text) {
    try {
      return text == null ? null : Instant.parse(text);
    } catch (DateTimeParseException noTime) {
      return null;
    }
  }

  /** Never negative: the two moments may come from clocks of two machines. */
  private static Duration elapsed(Instant from, Instant to) {
    Duration time = Duration.between(from, to);
    return time.isNegative() ? Duration.ZERO : time;
  }
}
