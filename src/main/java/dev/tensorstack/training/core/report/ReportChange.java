package dev.tensorstack.training.core.report;

import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.model.JobPhase;
import dev.tensorstack.training.core.model.JobSummary;
import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.naming.Conditions.Reasons;
import dev.tensorstack.training.core.observe.Observation;
import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.core.observe.TrainingJob;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

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

  /**
   * Whether a change only tells how far the training is.
   *
   * @param job the job, with what was stored before
   * @param report what is to be stored
   * @return true when all else is as it was
   */
  public static boolean isTrainingOnly(TrainingJob job, JobReport report) {
    return !Objects.equals(job.ledger().training(), report.ledger().training())
        && report.summary().equals(job.summary())
        && job.ledger().withTraining(report.ledger().training()).equals(report.ledger());
  }

  /**
   * Whether a change only tells how the pods get on of a job that waits for nothing else: that all
   * run will be told at once.
   *
   * @param job the job, with what was stored before
   * @param report what is to be stored, a mere progress
   * @return true when the stored status says that the job waits for its pods, and so does the next
   */
  public static boolean isStart(TrainingJob job, JobReport report) {
    return job.summary() != null && isPlainBeginning(report);
  }

  /**
   * Whether a change records that pods have ended. Only what is recorded stays so when the pod is
   * removed.
   *
   * @param job the job, with what was stored before
   * @param report what is to be stored
   * @return true when a pod of a job that goes on has ended and no stored status says so yet
   */
  public static boolean recordsAnEnd(TrainingJob job, JobReport report) {
    return newEnds(job, report).findAny().isPresent();
  }

  /**
   * Whether a change records the end of a pod that is gone, or going: nobody but this process knows
   * of it any more, or soon.
   *
   * @param seen what was seen, with the job as it was stored before
   * @param report what is to be stored
   * @return true when {@link #recordsAnEnd} is, and such a pod is missing or being deleted
   */
  public static boolean recordsAnEndThatIsGone(Observation seen, JobReport report) {
    Set<String> present =
        seen.pods().stream()
            .filter(pod -> !pod.deleting())
            .map(ObservedPod::name)
            .collect(Collectors.toSet());
    return newEnds(seen.job(), report).anyMatch(replica -> !present.contains(replica.pod()));
  }

  private static Stream<ReplicaReport> newEnds(TrainingJob job, JobReport report) {
    if (report.ledger().outcome() != null) {
      return Stream.empty();
    }
    Map<ReplicaId, Ledger.Slot> before = job.ledger().slots();
    return report.replicas().stream()
        .filter(replica -> replica.end() != null)
        .filter(
            replica -> {
              Ledger.Slot stored = before.get(replica.id());
              return stored == null
                  || stored.end() == null
                  || stored.earlierPods() != replica.slot().earlierPods();
            });
  }

  /** An elastic job goes on without a worker that failed for good: nobody waits for that one. */
  private static int missing(JobSummary summary) {
    return summary.replicas() - summary.counts().runningOrDone() - summary.counts().failed();
  }

  private static boolean isPlainBeginning(JobReport first) {
    return first.summary().phase() == JobPhase.Pending
        && NOTHING_TO_TELL.contains(first.summary().reason())
        && first.problem() == null
        && JobReport.pause(first.ledger()) == Ledger.Pause.NONE;
  }
}
