package dev.tensorstack.training.core.report;

import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.model.JobPhase;
import dev.tensorstack.training.core.model.JobSummary;
import dev.tensorstack.training.core.naming.Conditions.Reasons;
import dev.tensorstack.training.core.observe.TrainingJob;
import java.util.Objects;
import java.util.Set;

/** How much a change of a report matters to those who wait for it. */
public final class ReportChange {

  private static final Set<String> NOTHING_TO_TELL = Set.of(Reasons.NONE, Reasons.NOT_FINISHED);

  private ReportChange() {}

  /**
   * Whether a change only tells how the pods get on. That they are being created, and that all of
   * them are there, is progress too.
   *
   * @param job the job, with what was stored before
   * @param report what is to be stored
   * @return true when phase, generation, reason, problem and pause stay the same, unless all pods
   *     run again; of a first report when it only says that the job waits for its pods
   */
  public static boolean isProgressOnly(TrainingJob job, JobReport report) {
    JobSummary before = job.summary();
    JobSummary after = report.summary();
    if (before == null) {
      return isPlainBeginning(report);
    }
    return before.phase() == after.phase()
        && before.generation() == after.generation()
        && Objects.equals(before.reason(), after.reason())
        && Objects.equals(before.problem(), after.problem())
        && JobReport.pause(job.ledger()) == JobReport.pause(report.ledger())
        && !(missing(before) > 0 && missing(after) == 0);
  }

  private static int missing(JobSummary summary) {
    return summary.replicas() - summary.counts().runningOrDone();
  }

  private static boolean isPlainBeginning(JobReport first) {
    return first.summary().phase() == JobPhase.Pending
        && NOTHING_TO_TELL.contains(first.summary().reason())
        && first.problem() == null
        && JobReport.pause(first.ledger()) == Ledger.Pause.NONE;
  }
}
