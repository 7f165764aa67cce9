package dev.tensorstack.training.kind.trainingjob;

import dev.tensorstack.training.core.model.JobPhase;
import dev.tensorstack.training.core.model.JobSummary;
import dev.tensorstack.training.core.naming.Conditions;
import dev.tensorstack.training.core.naming.Conditions.Reasons;
import dev.tensorstack.training.core.report.JobReport;
import dev.tensorstack.training.kind.trainingjob.v1beta1.JobCondition;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Writes all conditions at once and keeps the transition times of those that did not change. */
final class ConditionRendering {

  /**
   * Why a job that has no pods yet will not get them unless somebody does something. A missing
   * quota, node, queue or image may come by itself.
   */
  private static final Set<String> NEEDS_A_PERSON =
      Set.of(Reasons.POD_REJECTED, Reasons.INVALID_SPEC);

  private final JobReport report;
  private final JobSummary summary;
  private final List<JobCondition> before;
  private final List<JobCondition> after = new ArrayList<>();
  private final String now;

  private ConditionRendering(JobReport report, @Nullable List<JobCondition> before, Instant now) {
    this.report = report;
    this.summary = report.summary();
    this.before = before == null ? List.of() : before;
    this.now = now.truncatedTo(ChronoUnit.SECONDS).toString();
  }

  /** The conditions of a report, in their order. */
  static List<JobCondition> of(JobReport report, @Nullable List<JobCondition> before, Instant now) {
    ConditionRendering rendering = new ConditionRendering(report, before, now);
    rendering.initialized();
    rendering.running();
    rendering.replicaFailure();
    rendering.ended();
    rendering.paused();
    rendering.forTools();
    return rendering.after;
  }

  private void initialized() {
    JobReport.Statement missing = report.initialization();
    if (missing == null) {
      put(Conditions.INITIALIZED, true, Reasons.NONE, "the Service and the pods were created");
    } else {
      put(Conditions.INITIALIZED, false, missing.reason(), missing.message());
    }
  }

  private void running() {
    String status =
        switch (summary.phase()) {
          case Unknown -> "Unknown";
          case Running -> "True";
          default -> "False";
        };
    boolean failed = summary.phase() == JobPhase.Failed;
    add(Conditions.RUNNING, status, failed ? Reasons.FAILED : summary.reason(), summary.message());
  }

  private void replicaFailure() {
    JobReport.Statement problem = report.problem();
    if (problem == null) {
      put(Conditions.REPLICA_FAILURE, false, Reasons.NONE, "");
    } else {
      put(Conditions.REPLICA_FAILURE, true, problem.reason(), problem.message());
    }
  }

  private void ended() {
    switch (summary.phase()) {
      case Succeeded -> {
        put(Conditions.COMPLETED, true, Reasons.SUCCEEDED, summary.message());
        put(Conditions.FAILED, false, Reasons.NONE, "");
      }
      case Failed -> {
        put(Conditions.COMPLETED, true, Reasons.FAILED, summary.message());
        put(Conditions.FAILED, true, summary.reason(), summary.message());
      }
      default -> {
        put(Conditions.COMPLETED, false, Reasons.NOT_FINISHED, "");
        put(Conditions.FAILED, false, Reasons.NONE, "");
      }
    }
  }

  private void paused() {
    switch (JobReport.pause(report.ledger())) {
      case PAUSING ->
          put(Conditions.PAUSED, false, Reasons.PAUSED, "the pods are being stopped for a pause");
      case PAUSED -> put(Conditions.PAUSED, true, Reasons.PAUSED, "paused by the user");
      case RESUMED -> put(Conditions.PAUSED, false, Reasons.RESUMING, "resumed by the user");
      case NONE -> put(Conditions.PAUSED, false, Reasons.NONE, "");
    }
  }

  /**
   * What kstatus, and so Flux, Argo CD and {@code kubectl wait} users, understand without knowing
   * this kind: never both at once, and neither while the job runs, is paused or has succeeded.
   */
  private void forTools() {
    JobPhase phase = summary.phase();
    boolean succeeded = phase == JobPhase.Succeeded;
    put(
        Conditions.SUCCEEDED,
        succeeded,
        succeeded ? Reasons.SUCCEEDED : phase == JobPhase.Failed ? Reasons.FAILED : Reasons.NONE,
        "");
    boolean stalled =
        phase == JobPhase.Failed
            || (phase != JobPhase.Running && NEEDS_A_PERSON.contains(summary.reason()));
    boolean reconciling = !stalled && isOnItsWay();
    tell(Conditions.RECONCILING, reconciling);
    tell(Conditions.STALLED, stalled);
  }

  /** Whether the job gets pods, gets them back, or loses them for a pause. */
  private boolean isOnItsWay() {
    return switch (summary.phase()) {
      case Pending, Resuming, Unknown -> true;
      case Running ->
          summary.reason().equals(Reasons.RESTARTING) || summary.reason().equals(Reasons.PAUSED);
      case Paused, Succeeded, Failed -> false;
    };
  }

  private void tell(String type, boolean status) {
    put(type, status, status ? summary.reason() : Reasons.NONE, status ? summary.message() : "");
  }

  /** An earlier version has written the others. */
  private static boolean isNewTo(List<JobCondition> before, String type) {
    return !before.isEmpty() && before.stream().noneMatch(old -> type.equals(old.type()));
  }

  /** What an ended job is, it is since its end, also when an earlier version did not say it. */
  private String whenEnded() {
    Instant end = report.ledger().completionTime();
    return end == null ? now : end.truncatedTo(ChronoUnit.SECONDS).toString();
  }

  private void put(String type, boolean status, String reason, String message) {
    add(type, status ? "True" : "False", reason, message);
  }

  private void add(String type, String status, String reason, String message) {
    String since = isNewTo(before, type) ? whenEnded() : now;
    for (JobCondition old : before) {
      if (type.equals(old.type()) && status.equals(old.status())) {
        since = Objects.requireNonNullElse(old.lastTransitionTime(), now);
      }
    }
    after.add(new JobCondition(type, status, reason, message, since, summary.generation()));
  }
}
