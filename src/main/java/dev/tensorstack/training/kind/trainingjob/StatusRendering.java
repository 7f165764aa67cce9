package dev.tensorstack.training.kind.trainingjob;

import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.ledger.StoredLedger;
import dev.tensorstack.training.core.model.Elasticity;
import dev.tensorstack.training.core.model.JobSpec;
import dev.tensorstack.training.core.model.JobSummary;
import dev.tensorstack.training.core.model.ReplicaCounts;
import dev.tensorstack.training.core.model.ReplicaType;
import dev.tensorstack.training.core.model.RunPolicy;
import dev.tensorstack.training.core.naming.Labels;
import dev.tensorstack.training.core.naming.ObjectKind;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.core.policy.BackoffWindow;
import dev.tensorstack.training.core.report.JobReport;
import dev.tensorstack.training.core.report.LedgerEncoder;
import dev.tensorstack.training.core.report.ReplicasEncoder;
import dev.tensorstack.training.core.report.TensorboardReport;
import dev.tensorstack.training.core.report.TrainingCodec;
import dev.tensorstack.training.kind.trainingjob.v1beta1.Columns;
import dev.tensorstack.training.kind.trainingjob.v1beta1.LastFailure;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobStatus;
import dev.tensorstack.training.kind.trainingjob.v1beta1.RecentDisruption;
import dev.tensorstack.training.kind.trainingjob.v1beta1.ReplicaAggregate;
import dev.tensorstack.training.kind.trainingjob.v1beta1.TensorboardStatus;
import io.fabric8.kubernetes.api.model.ObjectReferenceBuilder;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes a report into the fields of the status (docs/reference/api.md). */
public final class StatusRendering {

  private StatusRendering() {}

  /**
   * The next status.
   *
   * @param job the job
   * @param report what is said about it
   * @param before the stored status; null before the first
   * @param now the present time; it only appears where something changed
   * @return the status; equal to the stored one when there is nothing new to say
   */
  public static PyTorchTrainingJobStatus of(
      TrainingJob job, JobReport report, @Nullable PyTorchTrainingJobStatus before, Instant now) {
    Ledger ledger = report.ledger();
    JobSummary summary = report.summary();
    StoredLedger stored = LedgerEncoder.write(report);
    return new PyTorchTrainingJobStatus(
        summary.generation(),
        summary.phase().name(),
        time(ledger.startTime()),
        time(ledger.completionTime()),
        ledger.counts().attempt(),
        ledger.mode() == null ? null : ledger.mode().word(),
        ledger.counts().backoff(),
        recentBackoffCount(job, ledger, now),
        ledger.counts().disruptions(),
        summary.replicas(),
        time(ledger.shrunkAt()),
        time(ledger.shrinkWaitingSince()),
        recentDisruptions(ledger),
        TrainingJobLabels.JOB_UID + "=" + job.uid(),
        aggregate(summary.counts()),
        TaskRendering.of(
            report,
            job.spec().types().stream().map(ReplicaType::name).distinct().toList(),
            ReplicasEncoder.bytes(stored),
            before == null ? null : before.tasks()),
        lastFailure(ledger.lastFailure()),
        HistoryRendering.of(job, report, before == null ? null : before.history(), now),
        ConditionRendering.of(report, before == null ? null : before.conditions(), now),
        tensorboard(job, report.tensorboard()),
        TrainingCodec.write(ledger.training()),
        columns(job, ledger, summary),
        stored);
  }

  /** It stands still once the job has ended. */
  private static @Nullable Integer recentBackoffCount(TrainingJob job, Ledger ledger, Instant now) {
    RunPolicy policy = job.spec().runPolicy();
    Instant time = ledger.completionTime() == null ? now : ledger.completionTime();
    return policy.backoffWindowSeconds() == null
        ? null
        : BackoffWindow.count(policy, ledger.counts(), time);
  }

  private static ReplicaAggregate aggregate(ReplicaCounts counts) {
    return new ReplicaAggregate(
        counts.creating(),
        counts.pending(),
        counts.running(),
        counts.succeeded(),
        counts.failed(),
        counts.unknown(),
        counts.deleted());
  }

  private static @Nullable List<RecentDisruption> recentDisruptions(Ledger ledger) {
    return ledger.disrupted().isEmpty()
        ? null
        : ledger.disrupted().stream()
            .map(one -> new RecentDisruption(one.replica().toString(), time(one.time())))
            .toList();
  }

  private static @Nullable LastFailure lastFailure(Ledger.@Nullable Failure failure) {
    return failure == null
        ? null
        : new LastFailure(
            failure.replica(),
            failure.pod(),
            failure.cause() == null ? null : failure.cause().name(),
            failure.exitCode(),
            failure.signal(),
            failure.reason(),
            failure.node(),
            failure.message(),
            time(failure.time()));
  }

  /** The state of the job's TensorBoard; null when it asks for none. */
  static @Nullable TensorboardStatus tensorboard(
      TrainingJob job, @Nullable TensorboardReport report) {
    if (report == null) {
      return null;
    }
    return new TensorboardStatus(
        Labels.TENSORBOARD,
        new ObjectReferenceBuilder()
            .withApiVersion(ObjectKind.DEPLOYMENT.apiVersion())
            .withKind(ObjectKind.DEPLOYMENT.kind())
            .withNamespace(job.namespace())
            .withName(report.deployment())
            .withUid(report.uid())
            .build(),
        report.ready(),
        report.reason(),
        report.action(),
        report.note(),
        report.warning() ? "Warning" : "Normal");
  }

  private static Columns columns(TrainingJob job, Ledger ledger, JobSummary summary) {
    return new Columns(
        summary.counts().running() + "/" + summary.replicas(),
        ledger.counts().restarts().values().stream().mapToInt(Integer::intValue).sum(),
        nodes(job.spec().elastic(), summary.replicas()),
        queue(job.spec()),
        summary.reason(),
        ProgressColumns.progress(ledger.training()),
        ProgressColumns.eta(ledger.training(), summary.phase()));
  }

  /** The queue that a job waits in first. */
  private static @Nullable String queue(JobSpec spec) {
    return spec.queue() == null ? spec.scheduler().queue() : spec.queue().name();
  }

  /** Null for a job whose spec does not say how many nodes it wants. */
  private static @Nullable String nodes(@Nullable Elasticity elastic, int wanted) {
    if (elastic != null) {
      return elastic.isBounded() ? elastic.minReplicas() + ":" + elastic.maxReplicas() : null;
    }
    return wanted == 0 ? null : Integer.toString(wanted);
  }

  /** A moment as the status has it: RFC 3339, in whole seconds. */
  static @Nullable String time(@Nullable Instant instant) {
    return instant == null ? null : instant.truncatedTo(ChronoUnit.SECONDS).toString();
  }
}
