package dev.tensorstack.training.core.report;

import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.model.JobPhase;
import dev.tensorstack.training.core.model.JobSummary;
import dev.tensorstack.training.core.model.ReplicaCounts;
import dev.tensorstack.training.core.naming.Conditions.Reasons;
import dev.tensorstack.training.core.observe.Observation;
import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.core.observe.WriteFailure;
import dev.tensorstack.training.core.plan.Plan;
import dev.tensorstack.training.core.plan.ServicePlan;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What is said about a job after a look at it. A kind of job writes it into its status in words and
 * fields of its own; nothing of it depends on how.
 *
 * @param ledger what is remembered
 * @param summary the job in few words
 * @param initialization why the job is not initialized; null when it is
 * @param problem a failure that is not mended; null when there is none
 * @param activePods by type, how many pods use their node: they run, or end at this moment; those
 *     of replicas that scaling takes away and of earlier attempts too; absent means none
 * @param replicas the replicas in the order of ranks; none for a job that cannot have any
 * @param tensorboard the state of its TensorBoard; null when it asks for none
 */
public record JobReport(
    Ledger ledger,
    JobSummary summary,
    @Nullable Statement initialization,
    @Nullable Statement problem,
    Map<String, Integer> activePods,
    List<ReplicaReport> replicas,
    @Nullable TensorboardReport tensorboard) {

  private static final Set<String> BY_REPLICA =
      Set.of(Reasons.REPLICA_FAILED, Reasons.BACKOFF_LIMIT_EXCEEDED);

  /**
   * A reason and a sentence.
   *
   * @param reason one word
   * @param message a sentence for people
   */
  public record Statement(String reason, String message) {}

  /**
   * The report on a job: a pure function of what is seen and planned.
   *
   * @param seen the job's world
   * @param plan what is done about it
   * @return the report
   */
  public static JobReport of(Observation seen, Plan plan) {
    List<ReplicaReport> replicas = ReplicaReport.of(plan);
    ReplicaCounts counts = ReplicaCounts.of(replicas.stream().map(ReplicaReport::phase)::iterator);
    PhaseAndReason state = PhaseAndReason.of(seen, plan, replicas, counts).limited();
    JobSummary before = seen.job().summary();
    Statement initialization = initialization(seen, plan, state);
    Statement problem = problem(seen, plan, state);
    return new JobReport(
        plan.ledger(),
        new JobSummary(
            seen.job().generation(),
            state.phase(),
            state.reason(),
            state.message(),
            initialization == null,
            (before != null && before.hasRun()) || state.phase() == JobPhase.Running,
            problem == null ? null : problem.reason(),
            replicas.size(),
            counts),
        initialization,
        problem,
        activePods(seen),
        replicas,
        // A job that can have no pods, because it is invalid, gets nothing beside them either.
        replicas.isEmpty()
            ? null
            : TensorboardStatusReader.of(seen.job(), seen.dependents(), plan.refused()));
  }

  private static Map<String, Integer> activePods(Observation seen) {
    Map<String, Integer> byType = new HashMap<>();
    for (ObservedPod pod : seen.pods()) {
      boolean runs =
          pod.phase() == ObservedPod.Phase.RUNNING || pod.phase() == ObservedPod.Phase.UNKNOWN;
      if (runs || (pod.deleting() && pod.node() != null && !pod.ended())) {
        byType.merge(pod.replica().type(), 1, Integer::sum);
      }
    }
    return byType;
  }

  /**
   * Once the Service and all pods were there, the job stays initialized until its pods are gone.
   */
  private static @Nullable Statement initialization(
      Observation seen, Plan plan, PhaseAndReason state) {
    JobSummary before = seen.job().summary();
    boolean allCreated =
        !plan.replicas().isEmpty()
            && plan.replicas().stream().allMatch(replica -> replica.slot().uid() != null);
    boolean wasInitialized = before != null && before.initialized();
    boolean hasNone =
        state.phase() == JobPhase.Paused || plan.ledger().hold() == Ledger.Hold.WAITING;
    if (!hasNone && (wasInitialized || (allCreated && ServicePlan.isComplete(seen, plan)))) {
      return null;
    }
    boolean plain = state.phase() == JobPhase.Running || state.reason().equals(Reasons.NONE);
    return plain
        ? new Statement(Reasons.NOT_FINISHED, "the pods are being created")
        : new Statement(state.reason(), state.message());
  }

  private static @Nullable Statement problem(Observation seen, Plan plan, PhaseAndReason state) {
    boolean failedBefore = plan.ledger().lastFailure() != null;
    WriteFailure refused = PendingReason.refusedCreation(seen.job(), plan);
    if (plan.failing() != null) {
      return new Statement(Reasons.REPLICA_FAILED, PhaseAndReason.limited(plan.failing()));
    }
    if (state.phase() == JobPhase.Failed && failedBefore && failedByReplica(state.reason())) {
      return new Statement(Reasons.REPLICA_FAILED, state.message());
    }
    if (state.reason().equals(Reasons.RESTARTING) && failedBefore) {
      return new Statement(Reasons.RESTARTING, state.message());
    }
    return refused != null && wantsPods(plan) && !refused.passes()
        ? new Statement(state.reason(), state.message())
        : null;
  }

  /**
   * Whether a job failed because a replica did; else, as with a deadline, an earlier failure is not
   * to blame.
   *
   * @param reason the reason of its outcome
   * @return true when {@code lastFailure} is the cause
   */
  public static boolean failedByReplica(String reason) {
    return BY_REPLICA.contains(reason);
  }

  /** A refusal of earlier is no news once the job has ended or pauses. */
  private static boolean wantsPods(Plan plan) {
    return plan.stage() == Plan.Stage.ACTIVE || plan.stage() == Plan.Stage.RESTARTING;
  }

  /**
   * Whether the job is paused now; one that has ended is not paused any more, whatever it was.
   *
   * @param ledger what is remembered of the job
   * @return the state of its pause
   */
  public static Ledger.Pause pause(Ledger ledger) {
    return ledger.outcome() == null ? ledger.pause() : Ledger.Pause.NONE;
  }
}
