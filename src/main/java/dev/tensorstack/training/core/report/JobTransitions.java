package dev.tensorstack.training.core.report;

import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.ledger.Training;
import dev.tensorstack.training.core.model.FailureCause;
import dev.tensorstack.training.core.model.JobPhase;
import dev.tensorstack.training.core.model.JobSummary;
import dev.tensorstack.training.core.model.ReplicaCounts;
import dev.tensorstack.training.core.naming.Conditions.Reasons;
import dev.tensorstack.training.core.observe.TrainingJob;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a stored report says for the first time (docs/reference/metrics.md). A report is stored
 * once, on top of the one that was read, so what is counted when it is stored is counted once,
 * whoever stores it and however often the operator is started anew.
 */
public final class JobTransitions {

  private JobTransitions() {}

  /**
   * What a stored report says that the one before did not.
   *
   * @param job the job, with what was stored before
   * @param report the report that was stored
   * @param broken since when pods are missing after a failure, as {@link #brokenSince} said at the
   *     write before; null when none is
   * @param now when it was stored
   * @return the facts, in the order of their happening; mostly none
   */
  public static List<JobTransition> between(
      TrainingJob job, JobReport report, @Nullable Instant broken, Instant now) {
    Ledger before = job.ledger();
    Ledger after = report.ledger();
    List<JobTransition> facts = new ArrayList<>();
    if (job.summary() == null) {
      facts.add(new JobTransition.Created());
    }
    if (before.completionTime() != null) {
      return facts;
    }
    if (isFirstRun(job, report)) {
      if (!haveRun(job.summary()) && haveRun(report.summary())) {
        facts.add(new JobTransition.FirstPodRan(elapsed(job.createdAt(), now)));
      }
      if (report.summary().phase() == JobPhase.Running) {
        facts.add(new JobTransition.AllPodsRan(elapsed(job.createdAt(), now)));
      }
    }
    restarts(FailureCause.Application, after.counts().backoff() - before.counts().backoff(), facts);
    restarts(
        FailureCause.Disruption,
        after.counts().disruptions() - before.counts().disruptions(),
        facts);
    String hang = hang(before, after);
    if (hang != null) {
      facts.add(new JobTransition.Hung(hang));
    }
    if (broken != null && report.summary().isWhole()) {
      facts.add(new JobTransition.Recovered(elapsed(broken, now)));
    }
    if (after.completionTime() != null) {
      facts.add(ended(report));
    }
    return facts;
  }

  /**
   * Since when pods of a job are missing after a failure. It is remembered by the process alone: a
   * recovery during which the operator ends is not measured.
   *
   * @param job the job, with what was stored before
   * @param report the report that was stored
   * @param broken what was said at the write before
   * @param now when it was stored
   * @return the moment of the first failure that is not mended yet, or null
   */
  public static @Nullable Instant brokenSince(
      TrainingJob job, JobReport report, @Nullable Instant broken, Instant now) {
    Ledger before = job.ledger();
    Ledger after = report.ledger();
    Ledger.Pause pause = JobReport.pause(after);
    boolean otherwiseStopped =
        after.completionTime() != null
            || pause == Ledger.Pause.PAUSING
            || pause == Ledger.Pause.PAUSED
            || after.hold() != null
            || (before.mode() != null && before.mode() != after.mode());
    if (otherwiseStopped) {
      return null;
    }
    boolean restarted =
        after.counts().backoff() > before.counts().backoff()
            || after.counts().disruptions() > before.counts().disruptions();
    if (restarted && broken == null && !report.summary().isWhole()) {
      Ledger.Failure last = after.lastFailure();
      Instant failed = last == null ? null : last.time();
      // The clock of the failure is that of a node.
      return failed == null || failed.isAfter(now) ? now : failed;
    }
    return !restarted && report.summary().isWhole() ? null : broken;
  }

  /** The reason of a hang of which the status before does not speak; null when there is none. */
  private static @Nullable String hang(Ledger before, Ledger after) {
    Training.Problem known = before.training() == null ? null : before.training().problem();
    Training.Problem found = after.training() == null ? null : after.training().problem();
    if (found != null) {
      return known != null && known.reason().equals(found.reason()) ? null : found.reason();
    }
    Ledger.Failure failure = after.lastFailure();
    String reason = failure == null ? null : failure.reason();
    boolean decided = failure != null && !failure.equals(before.lastFailure());
    if (known != null && known.reason().equals(reason)) {
      return null; // told before, when nothing was done about it
    }
    return decided && (Reasons.NO_PROGRESS.equals(reason) || Reasons.NOT_A_NUMBER.equals(reason))
        ? reason
        : null;
  }

  private static void restarts(FailureCause cause, int times, List<JobTransition> facts) {
    if (times > 0) {
      facts.add(new JobTransition.Restarted(cause, times));
    }
  }

  private static JobTransition.Ended ended(JobReport report) {
    Ledger.Outcome outcome = report.ledger().outcome();
    Instant start = report.ledger().startTime();
    Instant end = report.ledger().completionTime();
    return new JobTransition.Ended(
        outcome != null && outcome.succeeded(),
        outcome == null ? report.summary().reason() : outcome.reason(),
        start == null || end == null ? null : elapsed(start, end));
  }

  /** Whether a job has not run before, and no restart, pause or other attempt lies behind it. */
  private static boolean isFirstRun(TrainingJob job, JobReport report) {
    return (job.summary() == null || !job.summary().hasRun())
        && isUntouched(job.ledger())
        && isUntouched(report.ledger());
  }

  private static boolean isUntouched(Ledger ledger) {
    return ledger.counts().attempt() == 0
        && ledger.counts().backoff() == 0
        && ledger.counts().disruptions() == 0
        && JobReport.pause(ledger) == Ledger.Pause.NONE;
  }

  /** Pods that are lost or deleted may have run. */
  private static boolean haveRun(@Nullable JobSummary summary) {
    if (summary == null) {
      return false;
    }
    ReplicaCounts counts = summary.counts();
    return counts.runningOrDone() + counts.failed() + counts.unknown() + counts.deleted() > 0;
  }

  /** Never negative: the two moments may come from clocks of two machines. */
  private static Duration elapsed(Instant from, Instant to) {
    Duration time = Duration.between(from, to);
    return time.isNegative() ? Duration.ZERO : time;
  }
}
