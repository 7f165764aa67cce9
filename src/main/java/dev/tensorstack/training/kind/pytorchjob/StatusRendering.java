package dev.tensorstack.training.kind.pytorchjob;

import static java.util.Objects.requireNonNullElse;

import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.model.JobPhase;
import dev.tensorstack.training.core.model.JobSummary;
import dev.tensorstack.training.core.model.ReplicaPhase;
import dev.tensorstack.training.core.naming.Conditions.Reasons;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.core.policy.PodFailure;
import dev.tensorstack.training.core.report.JobReport;
import dev.tensorstack.training.core.report.LedgerEncoder;
import dev.tensorstack.training.core.report.ReplicaReport;
import dev.tensorstack.training.core.report.TrainingCodec;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJobStatus;
import dev.tensorstack.training.kind.pytorchjob.v1.ReplicaStatus;
import dev.tensorstack.training.kind.pytorchjob.v1.ReplicaType;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Writes a report into the status as clients of Kubeflow's operator read it. */
final class StatusRendering {

  private StatusRendering() {}

  /**
   * The next status.
   *
   * @param job the job
   * @param report what is said about it
   * @param stored the stored status; null before the first
   * @param now the present time; it only appears where something changed
   * @return the status; equal to the stored one when there is nothing new to say
   */
  static PyTorchJobStatus of(
      TrainingJob job, JobReport report, @Nullable PyTorchJobStatus stored, Instant now) {
    Ledger ledger = report.ledger();
    Conditions conditions = new Conditions(stored == null ? null : stored.conditions(), text(now));
    boolean resumes =
        (conditions.isTrue(Conditions.SUSPENDED) || job.ledger().hold() != null)
            && !isSuspended(ledger)
            && ledger.hold() == null
            && !hasEnded(ledger);
    // The clean-up takes pods, not what was said of them.
    boolean hadSucceeded = conditions.isTrue(Conditions.SUCCEEDED);
    change(conditions, job, report);
    PyTorchJobStatus next =
        new PyTorchJobStatus(
            conditions.all(),
            stored != null && hadSucceeded ? stored.replicaStatuses() : replicas(job, report),
            startTime(ledger, stored, job.spec().queue() != null, resumes, now),
            ledger.completionTime() == null ? null : text(ledger.completionTime()),
            stored == null ? null : stored.lastReconcileTime(),
            report.summary().generation(),
            TrainingCodec.write(ledger.training()),
            LedgerEncoder.write(report));
    return next.equals(stored) ? next : reconciledAt(next, text(now));
  }

  private static PyTorchJobStatus reconciledAt(PyTorchJobStatus status, String now) {
    return new PyTorchJobStatus(
        status.conditions(),
        status.replicaStatuses(),
        status.startTime(),
        status.completionTime(),
        now,
        status.observedGeneration(),
        status.training(),
        status.ledger());
  }

  private static void change(Conditions conditions, TrainingJob job, JobReport report) {
    Ledger ledger = report.ledger();
    String who = who(job);
    if (conditions.isTrue(Conditions.SUCCEEDED) || conditions.isTrue(Conditions.FAILED)) {
      return;
    }
    conditions.created("PyTorchJobCreated", who + " is created.");
    Ledger.Outcome outcome = ledger.outcome();
    if (outcome != null) {
      conditions.ended(
          outcome.succeeded() ? Conditions.SUCCEEDED : Conditions.FAILED,
          outcome.succeeded() ? "PyTorchJobSucceeded" : "PyTorchJobFailed",
          who
              + (outcome.succeeded() ? " successfully completed: " : " has failed: ")
              + outcome.message());
      return;
    }
    if (isSuspended(ledger)) {
      conditions.suspended("PyTorchJobSuspended", who + " is suspended.");
      return;
    }
    conditions.resumed("PyTorchJobResumed", who + " is resumed.");
    if (ledger.hold() != null || waitsForQueue(report.summary())) {
      conditions.held(Reasons.WAITING_FOR_QUEUE, report.summary().message());
      return;
    }
    if (report.replicas().stream().anyMatch(StatusRendering::comesBack)
        && (conditions.isTrue(Conditions.RESTARTING) || hasFailed(job.ledger(), ledger))) {
      conditions.restarting("PyTorchJobRestarting", restarting(job, ledger.lastFailure()));
    } else if (runs(job, report)) {
      conditions.running("PyTorchJobRunning", who + " is running.");
    }
  }

  /** Nothing of it runs; one that runs and grows may wait as well. */
  private static boolean waitsForQueue(JobSummary summary) {
    return summary.phase() == JobPhase.Pending
        && Reasons.WAITING_FOR_QUEUE.equals(summary.reason());
  }

  private static String who(TrainingJob job) {
    return job.kind().kind() + " " + job.namespace() + "/" + job.name();
  }

  /**
   * That a job is restarting, and why.
   *
   * @param job the job
   * @param failure the failure decided on last; null when it is not known
   * @return a sentence for people
   */
  static String restarting(TrainingJob job, Ledger.@Nullable Failure failure) {
    String reason =
        failure == null || failure.pod() == null
            ? "a replica failed."
            : "pod "
                + failure.pod()
                + (PodFailure.DELETED.equals(failure.reason()) ? " was deleted." : " failed.");
    return who(job) + " is restarting because " + reason;
  }

  /** Whether a failure was decided on; a resume and scaling make new pods, too. */
  private static boolean hasFailed(Ledger before, Ledger after) {
    return failures(after.counts()) > failures(before.counts());
  }

  private static int failures(Ledger.Counts counts) {
    return counts.backoff() + counts.disruptions();
  }

  private static boolean hasEnded(Ledger ledger) {
    return ledger.outcome() != null;
  }

  private static boolean isSuspended(Ledger ledger) {
    Ledger.Pause pause = JobReport.pause(ledger);
    return pause == Ledger.Pause.PAUSING || pause == Ledger.Pause.PAUSED;
  }

  /** A replacement that does not run yet. */
  private static boolean comesBack(ReplicaReport replica) {
    return replica.slot().earlierPods() > 0
        && replica.slot().uid() == null
        && replica.phase() != ReplicaPhase.Running;
  }

  /** The master runs; without one, any worker. */
  private static boolean runs(TrainingJob job, JobReport report) {
    boolean hasMaster =
        job.spec().types().stream()
            .anyMatch(type -> type.name().equals(ReplicaType.Master.label()));
    return report.replicas().stream()
        .filter(replica -> !hasMaster || replica.id().type().equals(ReplicaType.Master.label()))
        .anyMatch(replica -> replica.phase() == ReplicaPhase.Running);
  }

  private static Map<String, ReplicaStatus> replicas(TrainingJob job, JobReport report) {
    Ledger.Outcome outcome = report.ledger().outcome();
    boolean succeeded = outcome != null && outcome.succeeded();
    Map<String, ReplicaStatus> byType = new LinkedHashMap<>();
    for (ReplicaType type : ReplicaType.values()) {
      if (job.spec().types().stream().noneMatch(one -> one.name().equals(type.label()))) {
        continue;
      }
      List<ReplicaReport> replicas =
          report.replicas().stream()
              .filter(replica -> replica.id().type().equals(type.label()))
              .toList();
      // A pod holds its share of a quota until it has ended, also while it is being deleted.
      int active = report.activePods().getOrDefault(type.label(), 0);
      boolean suspended = isSuspended(report.ledger()) || report.ledger().hold() != null;
      int done = suspended ? 0 : count(replicas, ReplicaPhase.Succeeded);
      int failed = suspended ? 0 : count(replicas, ReplicaPhase.Failed);
      // One that has failed may still hold its share while it is being deleted.
      int others = Math.max(0, replicas.size() - done - failed);
      byType.put(
          type.name(),
          new ReplicaStatus(
              succeeded ? 0 : active,
              succeeded ? done + Math.min(active, others) : done,
              failed,
              selector(job, type)));
    }
    return byType;
  }

  private static int count(List<ReplicaReport> replicas, ReplicaPhase phase) {
    return (int) replicas.stream().filter(replica -> replica.phase() == phase).count();
  }

  private static String selector(TrainingJob job, ReplicaType type) {
    Map<String, String> labels = new LinkedHashMap<>(job.labels().ofObjects());
    labels.put(PyTorchJobLabels.REPLICA_TYPE, type.label());
    return labels.entrySet().stream()
        .map(label -> label.getKey() + "=" + label.getValue())
        .sorted()
        .collect(Collectors.joining(","));
  }

  /**
   * The first look; absent while suspended since creation or in a queue that has not let it start,
   * and anew at a resume.
   */
  private static @Nullable String startTime(
      Ledger ledger,
      @Nullable PyTorchJobStatus stored,
      boolean hasQueue,
      boolean resumes,
      Instant now) {
    String before = stored == null ? null : stored.startTime();
    if (before == null) {
      boolean waits = isSuspended(ledger) || (hasQueue && ledger.startTime() == null);
      return waits ? null : text(requireNonNullElse(ledger.startTime(), now));
    }
    return resumes ? text(now) : before;
  }

  private static String text(Instant moment) {
    return moment.truncatedTo(ChronoUnit.SECONDS).toString();
  }
}
