package dev.tensorstack.training.status;

import dev.tensorstack.training.api.v1beta1.JobCondition;
import dev.tensorstack.training.api.v1beta1.JobPhase;
import dev.tensorstack.training.api.v1beta1.PyTorchTrainingJobStatus;
import dev.tensorstack.training.naming.Conditions;
import dev.tensorstack.training.naming.Conditions.Reasons;
import dev.tensorstack.training.observation.Ledger;
import dev.tensorstack.training.observation.Observation;
import dev.tensorstack.training.observation.WriteFailure;
import dev.tensorstack.training.plan.Plan;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Builds all conditions at once and keeps the transition times of those that did not change. */
final class ConditionReport {

  /** In characters. */
  private static final int LONGEST_MESSAGE = 2_048;

  private final List<JobCondition> before;
  private final List<JobCondition> after = new ArrayList<>();
  private final long generation;
  private final String now;

  private ConditionReport(@Nullable List<JobCondition> before, long generation, Instant now) {
    this.before = before == null ? List.of() : before;
    this.generation = generation;
    this.now = now.truncatedTo(ChronoUnit.SECONDS).toString();
  }

  static List<JobCondition> of(
      Observation seen,
      Plan plan,
      PhaseAndReason state,
      @Nullable List<JobCondition> before,
      Instant now) {
    ConditionReport report = new ConditionReport(before, seen.job().generation(), now);
    report.initialized(seen, plan, state);
    report.running(state);
    report.replicaFailure(seen, plan, state);
    report.ended(state);
    report.paused(plan);
    return report.after;
  }

  /**
   * Once the Service and all pods were there, the job stays initialized until its pods are gone.
   */
  private void initialized(Observation seen, Plan plan, PhaseAndReason state) {
    boolean allCreated =
        !plan.replicas().isEmpty()
            && plan.replicas().stream().allMatch(replica -> replica.slot().uid() != null);
    boolean wasInitialized = isTrue(seen.job().status(), Conditions.INITIALIZED);
    boolean paused = state.phase() == JobPhase.Paused;
    if (!paused && (wasInitialized || (allCreated && seen.serviceExists()))) {
      put(Conditions.INITIALIZED, true, Reasons.NONE, "the Service and the pods were created");
    } else {
      boolean plain = state.phase() == JobPhase.Running || state.reason().equals(Reasons.NONE);
      put(
          Conditions.INITIALIZED,
          false,
          plain ? Reasons.NOT_FINISHED : state.reason(),
          plain ? "the pods are being created" : state.message());
    }
  }

  private void running(PhaseAndReason state) {
    boolean unknown = state.phase() == JobPhase.Unknown;
    add(
        Conditions.RUNNING,
        unknown ? "Unknown" : state.phase() == JobPhase.Running ? "True" : "False",
        endedBadly(state) ? Reasons.FAILED : state.reason(),
        state.message());
  }

  private void replicaFailure(Observation seen, Plan plan, PhaseAndReason state) {
    WriteFailure failure = PendingReason.refusedCreation(seen.job(), plan);
    if (plan.failing() != null) {
      put(Conditions.REPLICA_FAILURE, true, Reasons.REPLICA_FAILED, plan.failing());
    } else if (endedBadly(state) && plan.ledger().lastFailure() != null) {
      put(Conditions.REPLICA_FAILURE, true, Reasons.REPLICA_FAILED, state.message());
    } else if (state.reason().equals(Reasons.RESTARTING) && plan.ledger().lastFailure() != null) {
      put(Conditions.REPLICA_FAILURE, true, Reasons.RESTARTING, state.message());
    } else if (failure != null && wantsPods(plan) && !failure.passes()) {
      put(Conditions.REPLICA_FAILURE, true, state.reason(), state.message());
    } else {
      put(Conditions.REPLICA_FAILURE, false, Reasons.NONE, "");
    }
  }

  /** A refusal of earlier is no news once the job has ended or pauses. */
  private static boolean wantsPods(Plan plan) {
    return plan.stage() == Plan.Stage.ACTIVE || plan.stage() == Plan.Stage.RESTARTING;
  }

  private void ended(PhaseAndReason state) {
    switch (state.phase()) {
      case Succeeded -> {
        put(Conditions.COMPLETED, true, Reasons.SUCCEEDED, state.message());
        put(Conditions.FAILED, false, Reasons.NONE, "");
      }
      case Failed -> {
        put(Conditions.COMPLETED, true, Reasons.FAILED, state.message());
        put(Conditions.FAILED, true, state.reason(), state.message());
      }
      default -> {
        put(Conditions.COMPLETED, false, Reasons.NOT_FINISHED, "");
        put(Conditions.FAILED, false, Reasons.NONE, "");
      }
    }
  }

  private void paused(Plan plan) {
    // A job that has ended is not paused any more, whatever it was.
    Ledger.Pause pause =
        plan.ledger().outcome() == null ? plan.ledger().pause() : Ledger.Pause.NONE;
    switch (pause) {
      case PAUSING ->
          put(Conditions.PAUSED, false, Reasons.PAUSED, "the pods are being stopped for a pause");
      case PAUSED -> put(Conditions.PAUSED, true, Reasons.PAUSED, "paused by the user");
      case RESUMED -> put(Conditions.PAUSED, false, Reasons.RESUMING, "resumed by the user");
      case NONE -> put(Conditions.PAUSED, false, Reasons.NONE, "");
    }
  }

  private static boolean endedBadly(PhaseAndReason state) {
    return state.phase() == JobPhase.Failed;
  }

  private static boolean isTrue(@Nullable PyTorchTrainingJobStatus status, String type) {
    return status != null
        && status.conditions() != null
        && status.conditions().stream()
            .anyMatch(
                condition -> type.equals(condition.type()) && "True".equals(condition.status()));
  }

  /** Messages of other programs have any length, and each stands in several conditions. */
  private static String limited(String message) {
    return message.length() <= LONGEST_MESSAGE
        ? message
        : message.substring(0, LONGEST_MESSAGE) + "…";
  }

  private void put(String type, boolean status, String reason, String message) {
    add(type, status ? "True" : "False", reason, message);
  }

  private void add(String type, String status, String reason, String message) {
    String since = now;
    for (JobCondition old : before) {
      if (type.equals(old.type()) && status.equals(old.status())) {
        since = Objects.requireNonNullElse(old.lastTransitionTime(), now);
      }
    }
    after.add(new JobCondition(type, status, reason, limited(message), since, generation));
  }
}
