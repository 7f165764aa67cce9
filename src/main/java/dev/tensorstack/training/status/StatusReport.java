package dev.tensorstack.training.status;

import dev.tensorstack.training.api.v1beta1.Columns;
import dev.tensorstack.training.api.v1beta1.JobCondition;
import dev.tensorstack.training.api.v1beta1.LastFailure;
import dev.tensorstack.training.api.v1beta1.PyTorchTrainingJobStatus;
import dev.tensorstack.training.api.v1beta1.RecentDisruption;
import dev.tensorstack.training.api.v1beta1.ReplicaPhase;
import dev.tensorstack.training.core.model.Elasticity;
import dev.tensorstack.training.core.model.ReplicaType;
import dev.tensorstack.training.naming.Labels;
import dev.tensorstack.training.observation.Ledger;
import dev.tensorstack.training.observation.Observation;
import dev.tensorstack.training.observation.TrainingJob;
import dev.tensorstack.training.plan.Plan;
import dev.tensorstack.training.plan.PresentReplica;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The status of a job: a pure function of what is seen and planned. */
public final class StatusReport {

  private StatusReport() {}

  /**
   * The next status.
   *
   * @param seen the job's world
   * @param plan what is done about it
   * @param now the present time; it only appears where something changed
   * @return the status; equal to the present one when there is nothing new to say
   */
  public static PyTorchTrainingJobStatus of(Observation seen, Plan plan, Instant now) {
    TrainingJob job = seen.job();
    Ledger ledger = plan.ledger();
    PyTorchTrainingJobStatus before = job.status();
    List<PresentReplica> replicas = plan.replicas();
    ReplicaStates states = ReplicaStates.of(plan, before);
    Map<ReplicaPhase, Integer> counts = states.count();
    PhaseAndReason state = PhaseAndReason.of(seen, plan, counts);
    List<JobCondition> conditions =
        ConditionReport.of(seen, plan, state, before == null ? null : before.conditions(), now);
    return new PyTorchTrainingJobStatus(
        job.generation(),
        state.phase().name(),
        time(ledger.startTime()),
        time(ledger.completionTime()),
        ledger.counts().attempt(),
        ledger.mode() == null ? null : ledger.mode().word(),
        ledger.counts().backoff(),
        ledger.counts().disruptions(),
        replicas.size(),
        time(ledger.shrunkAt()),
        time(ledger.shrinkWaitingSince()),
        recentDisruptions(ledger),
        Labels.JOB_UID + "=" + job.uid(),
        ReplicaStates.aggregate(counts),
        states.tasks(types(job), ledger),
        lastFailure(ledger.lastFailure()),
        conditions,
        // A job that can have no pods, because it is invalid, gets nothing beside them either.
        replicas.isEmpty() ? null : TensorboardReport.of(job, seen.companions(), plan.refused()),
        columns(job, ledger, state, counts, replicas.size()));
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

  private static List<String> types(TrainingJob job) {
    return job.spec().types().stream().map(ReplicaType::name).distinct().toList();
  }

  private static Columns columns(
      TrainingJob job,
      Ledger ledger,
      PhaseAndReason state,
      Map<ReplicaPhase, Integer> counts,
      int wanted) {
    return new Columns(
        counts.getOrDefault(ReplicaPhase.Running, 0) + "/" + wanted,
        ledger.counts().backoff() + ledger.counts().disruptions(),
        nodes(job.spec().elastic(), wanted),
        job.spec().scheduler().queue(),
        state.reason());
  }

  /** Null for a job whose spec does not say how many nodes it wants. */
  private static @Nullable String nodes(@Nullable Elasticity elastic, int wanted) {
    if (elastic != null) {
      return elastic.isBounded() ? elastic.minReplicas() + ":" + elastic.maxReplicas() : null;
    }
    return wanted == 0 ? null : Integer.toString(wanted);
  }

  private static @Nullable String time(@Nullable Instant instant) {
    return instant == null ? null : instant.truncatedTo(ChronoUnit.SECONDS).toString();
  }
}
