package dev.tensorstack.training.core.report;

import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.ledger.Training;
import dev.tensorstack.training.core.model.JobPhase;
import dev.tensorstack.training.core.model.JobSpec;
import dev.tensorstack.training.core.model.JobSummary;
import dev.tensorstack.training.core.model.ReplicaCounts;
import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.model.ReplicaPhase;
import dev.tensorstack.training.core.naming.Conditions.Reasons;
import dev.tensorstack.training.core.naming.ObjectKind;
import dev.tensorstack.training.core.observe.ObjectWrite;
import dev.tensorstack.training.core.observe.Observation;
import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.core.observe.WriteFailure;
import dev.tensorstack.training.core.plan.CurrentReplica;
import dev.tensorstack.training.core.plan.Plan;
import dev.tensorstack.training.core.plan.QueueState;
import dev.tensorstack.training.core.plan.ServicePlan;
import dev.tensorstack.training.core.policy.ReplicaLayout;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The job's state in one word, and why (docs/concepts.md, Phase, reason, conditions).
 *
 * @param phase the phase
 * @param reason one word, {@code -} when there is none
 * @param message a sentence for people
 */
record PhaseAndReason(JobPhase phase, String reason, String message) {

  /** In characters: messages of other programs have any length. */
  private static final int LONGEST_MESSAGE = 2_048;

  /** The same with a message that can be stored. */
  PhaseAndReason limited() {
    return new PhaseAndReason(phase, reason, limited(message));
  }

  /** A message that can be stored. */
  static String limited(String message) {
    return message.length() <= LONGEST_MESSAGE
        ? message
        : message.substring(0, LONGEST_MESSAGE) + "…";
  }

  static PhaseAndReason of(
      Observation seen, Plan plan, List<ReplicaReport> replicas, ReplicaCounts counts) {
    Ledger ledger = plan.ledger();
    Ledger.Outcome outcome = ledger.outcome();
    if (outcome != null) {
      return new PhaseAndReason(
          outcome.succeeded() ? JobPhase.Succeeded : JobPhase.Failed,
          outcome.reason(),
          outcome.message());
    }
    if (plan.stage() == Plan.Stage.PAUSED) {
      return ledger.pause() == Ledger.Pause.PAUSED
          ? new PhaseAndReason(
              JobPhase.Paused,
              Reasons.PAUSED,
              "paused; set " + seen.job().spec().traits().pauseField() + " to false to go on")
          : new PhaseAndReason(
              phaseBefore(seen),
              Reasons.PAUSED,
              "the pods are being stopped for a pause" + deletionProblem(seen, plan));
    }
    if (plan.stage() == Plan.Stage.HELD) {
      return held(seen, plan);
    }
    if (masterUnknown(replicas)) {
      return new PhaseAndReason(
          JobPhase.Unknown,
          Reasons.NONE,
          "the master's node does not report, so its state cannot be known");
    }
    PhaseAndReason running = running(seen, plan, counts);
    return running != null ? running : waiting(seen, plan, replicas, counts);
  }

  private static PhaseAndReason held(Observation seen, Plan plan) {
    PendingReason why = PendingReason.of(seen, plan);
    String words = why == null ? "the job waits for its queue" : why.message();
    return plan.ledger().hold() == Ledger.Hold.WAITING
        ? new PhaseAndReason(JobPhase.Pending, Reasons.WAITING_FOR_QUEUE, words)
        : new PhaseAndReason(
            JobPhase.Pending,
            Reasons.WAITING_FOR_QUEUE,
            "the pods are being stopped, " + words + deletionProblem(seen, plan));
  }

  /** While pods stop for a pause, the job is what it was. */
  private static JobPhase phaseBefore(Observation seen) {
    JobSummary before = seen.job().summary();
    return before == null ? JobPhase.Pending : before.phase();
  }

  private static boolean enoughRun(Observation seen, Plan plan, ReplicaCounts counts) {
    JobSpec spec = seen.job().spec();
    int running = counts.running();
    int wanted = plan.replicas().size();
    int enough = spec.elastic() == null ? wanted : Math.min(wanted, spec.elastic().minReplicas());
    return running > 0 && counts.runningOrDone() >= enough;
  }

  private static boolean masterUnknown(List<ReplicaReport> replicas) {
    return !replicas.isEmpty() && replicas.get(0).phase() == ReplicaPhase.Unknown;
  }

  /** A debug pod that ends is created again; meanwhile the others can be looked at. */
  private static boolean isBeingDebugged(Observation seen) {
    JobSummary before = seen.job().summary();
    return seen.job().spec().debug() && before != null && Reasons.DEBUGGING.equals(before.reason());
  }

  private static @Nullable PhaseAndReason running(
      Observation seen, Plan plan, ReplicaCounts counts) {
    JobSpec spec = seen.job().spec();
    int running = counts.running();
    int active = counts.runningOrDone();
    int wanted = plan.replicas().size();
    boolean elastic = spec.elastic() != null;
    boolean ending = plan.ledger().ending() != null;
    boolean enough =
        enoughRun(seen, plan, counts) || (running > 0 && (ending || isBeingDebugged(seen)));
    if (plan.stage() != Plan.Stage.ACTIVE || !enough) {
      return null;
    }
    if (spec.debug()) {
      return new PhaseAndReason(
          JobPhase.Running,
          Reasons.DEBUGGING,
          "the pods wait for you: kubectl exec -it POD -- sh"
              + (active < wanted ? "; " + running + " of " + wanted + " run" : ""));
    }
    // Without the Service the pods run and do not find each other.
    boolean noService = ServicePlan.refused(seen.job(), plan) != null;
    PendingReason missing =
        !ending && (active < wanted || noService) ? PendingReason.of(seen, plan) : null;
    String message =
        running
            + " of "
            + wanted
            + " pods run"
            + growth(seen)
            // While a failure waits to be decided, what leaves may wait for that as well.
            + (elastic && plan.failing() == null ? shrinkLater(spec, plan.replicas()) : "")
            + (plan.failing() == null ? "" : "; " + plan.failing())
            + autoscalerProblem(seen, plan)
            + deletionProblem(seen, plan);
    Training.Problem hang = hang(plan);
    if (missing == null && hang != null) {
      return new PhaseAndReason(JobPhase.Running, hang.reason(), message + "; " + hang.message());
    }
    if (missing == null) {
      return new PhaseAndReason(JobPhase.Running, Reasons.NONE, message);
    }
    JobSummary before = seen.job().summary();
    // What is not known for a moment is what it was, with the number of pods in it.
    boolean asBefore =
        before != null
            && before.phase() == JobPhase.Running
            && missing.message().equals(before.message());
    return new PhaseAndReason(
        JobPhase.Running,
        missing.reason(),
        asBefore ? missing.message() : message + "; " + missing.message());
  }

  private static Training.@Nullable Problem hang(Plan plan) {
    Training training = plan.ledger().training();
    return training == null ? null : training.problem();
  }

  private static String growth(Observation seen) {
    String waits = QueueState.of(seen).growth();
    return waits == null ? "" : "; " + waits;
  }

  private static String shrinkLater(JobSpec spec, List<CurrentReplica> replicas) {
    Map<String, Integer> surplus = new HashMap<>();
    replicas.forEach(replica -> surplus.merge(replica.id().type(), 1, Integer::sum));
    ReplicaLayout.counts(spec).forEach((type, count) -> surplus.merge(type, -count, Integer::sum));
    int leaving = surplus.values().stream().mapToInt(count -> Math.max(0, count)).sum();
    return leaving == 0
        ? ""
        : "; "
            + leaving
            + (leaving == 1 ? " leaves" : " leave")
            + " once the ring is formed that the last change began";
  }

  /**
   * A job without its autoscaler runs as well; TensorBoard's problems are told in its own place.
   */
  private static String autoscalerProblem(Observation seen, Plan plan) {
    return retried(
        plan.refused().get(ObjectWrite.of(ObjectKind.AUTOSCALER, seen.job().names().autoscaler())));
  }

  /**
   * A pod that shall stop and does not. It may be what others wait for, and is never told in the
   * place of what keeps them from running.
   */
  private static String deletionProblem(Observation seen, Plan plan) {
    for (ObservedPod pod : seen.pods()) {
      WriteFailure refused = plan.refused().get(ObjectWrite.podDeletion(pod.name()));
      if (refused != null && !pod.ended()) {
        return retried(refused);
      }
    }
    return "";
  }

  private static String retried(@Nullable WriteFailure refused) {
    return refused == null ? "" : "; " + refused.describe() + "; it is tried again";
  }

  private static PhaseAndReason waiting(
      Observation seen, Plan plan, List<ReplicaReport> replicas, ReplicaCounts counts) {
    JobPhase phase =
        plan.ledger().pause() == Ledger.Pause.RESUMED && !hasRunSinceResume(seen)
            ? JobPhase.Resuming
            : JobPhase.Pending;
    if (plan.failing() != null) {
      return new PhaseAndReason(phase, Reasons.REPLICA_FAILED, plan.failing());
    }
    PendingReason pending = PendingReason.of(seen, plan);
    if (pending != null) {
      return new PhaseAndReason(phase, pending.reason(), pending.message());
    }
    boolean replacing = phase == JobPhase.Pending && isReplacing(replicas);
    if (plan.stage() == Plan.Stage.RESTARTING || replacing) {
      return new PhaseAndReason(
          phase, Reasons.RESTARTING, restartMessage(seen, plan) + deletionProblem(seen, plan));
    }
    String message =
        counts.running()
            + " of "
            + plan.replicas().size()
            + " pods run"
            + deletionProblem(seen, plan);
    return phase == JobPhase.Resuming
        ? new PhaseAndReason(phase, Reasons.RESUMING, message)
        : new PhaseAndReason(phase, Reasons.NOT_FINISHED, message);
  }

  private static boolean hasRunSinceResume(Observation seen) {
    JobSummary before = seen.job().summary();
    return before != null
        && before.phase() != JobPhase.Resuming
        && before.phase() != JobPhase.Paused;
  }

  private static boolean isReplacing(List<ReplicaReport> replicas) {
    return replicas.stream().anyMatch(PhaseAndReason::isReplacement);
  }

  private static boolean isReplacement(ReplicaReport replica) {
    return replica.slot().earlierPods() > 0
        && (replica.phase() == ReplicaPhase.Creating || replica.phase() == ReplicaPhase.Pending);
  }

  private static String restartMessage(Observation seen, Plan plan) {
    Ledger.Failure last = plan.ledger().lastFailure();
    String because =
        last == null || last.pod() == null
            ? ""
            : "; the last failure was that of pod " + last.pod() + " (" + last.reason() + ")";
    boolean earlierPodsRun = earlierPodsRun(seen, plan);
    return plan.replicas().stream()
            .map(replica -> replica.slot().restartAt())
            .filter(Objects::nonNull)
            .min(Comparator.naturalOrder())
            .map(
                moment ->
                    "restart at "
                        + moment.truncatedTo(ChronoUnit.SECONDS)
                        + (earlierPodsRun ? ", once the earlier pods have ended" : ""))
            .orElse(
                earlierPodsRun
                    ? "waits until the earlier pods have ended"
                    : "pods are being replaced")
        + because;
  }

  /**
   * Whether a replica has no pod yet because an earlier one takes its time to end. How many there
   * are is not told: each that ends would be a status of its own.
   */
  private static boolean earlierPodsRun(Observation seen, Plan plan) {
    Set<ReplicaId> missing =
        plan.replicas().stream()
            .filter(CurrentReplica::missing)
            .map(CurrentReplica::id)
            .collect(Collectors.toSet());
    return seen.pods().stream()
        .anyMatch(
            pod -> !pod.ended() && pod.lostSince() == null && missing.contains(pod.replica()));
  }
}
