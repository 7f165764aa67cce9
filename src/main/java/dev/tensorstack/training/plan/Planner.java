package dev.tensorstack.training.plan;

import dev.tensorstack.training.admission.Violation;
import dev.tensorstack.training.api.v1beta1.PyTorchTrainingJobSpec;
import dev.tensorstack.training.naming.Conditions;
import dev.tensorstack.training.observation.Ledger;
import dev.tensorstack.training.observation.Observation;
import dev.tensorstack.training.observation.ObservedPod;
import dev.tensorstack.training.observation.ReplicaId;
import dev.tensorstack.training.observation.RunModeKind;
import dev.tensorstack.training.observation.TrainingJob;
import dev.tensorstack.training.observation.WriteFailure;
import dev.tensorstack.training.policy.CleanUp;
import dev.tensorstack.training.policy.ReplicaLayout;
import dev.tensorstack.training.policy.SuccessPolicy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Decides what to do about a job: a pure function of what is seen, the ledger and the time. The
 * same input always gives the same plan.
 */
public final class Planner {

  private final PlanSettings settings;

  /**
   * A planner.
   *
   * @param settings what an administrator can set
   */
  public Planner(PlanSettings settings) {
    this.settings = settings;
  }

  /**
   * Plans the next step.
   *
   * @param seen the job's world
   * @param violations what is wrong with the spec; empty when nothing is
   * @param now the present time
   * @return what to do
   */
  public Plan plan(Observation seen, List<Violation> violations, Instant now) {
    TrainingJob job = seen.job();
    Ledger ledger = Ledger.of(job.status(), job.names());

    // 1. A job that is being deleted is Kubernetes' to collect.
    if (job.deleting()) {
      return new Plan(Plan.Stage.DELETING, ledger, List.of(), List.of(), null);
    }
    // 2. Terminal is terminal: only its pods are left to clean up.
    if (ledger.outcome() != null) {
      return ended(seen, ledger, violations, now);
    }
    // 3. What cannot work is not started; what started under other rules goes on.
    if (!violations.isEmpty() && neverStarted(seen, ledger)) {
      return ended(seen, ledger.ended(invalid(violations), now), violations, now);
    }

    ReplicaLayout layout = ReplicaLayout.of(job.spec());

    // 4. A paused job has no pods that run.
    if (pauseWanted(job.spec())) {
      return paused(seen, ledger, layout);
    }
    if (ledger.pause() == Ledger.Pause.PAUSED) {
      ledger = resumed(seen, ledger, layout);
    }
    List<PresentReplica> replicas = present(seen, ledger, layout);

    // 5. The master's success is the job's.
    if (SuccessPolicy.succeeded(podOf(layout.master(), replicas))) {
      Ledger.Outcome success =
          new Ledger.Outcome(
              true, Conditions.Reasons.SUCCEEDED, "the master, " + layout.master() + ", succeeded");
      return ended(seen, ledger.ended(success, now), violations, now);
    }
    // 6. Failures end the job or start pods anew.
    Ledger decided = FailureHandling.decide(job.spec(), ledger, layout, replicas, now);
    if (decided.outcome() != null) {
      return ended(seen, decided, violations, now);
    }
    if (!decided.equals(ledger)) {
      ledger = decided;
      replicas = present(seen, ledger, layout);
    }
    // 7. What is missing is created.
    return active(seen, ledger, replicas, now);
  }

  private static boolean neverStarted(Observation seen, Ledger ledger) {
    return ledger.startTime() == null
        && ledger.pause() == Ledger.Pause.NONE
        && seen.pods().isEmpty();
  }

  private static boolean pauseWanted(PyTorchTrainingJobSpec spec) {
    return spec.runMode() != null && spec.runMode().pause() != null && spec.runMode().pause().on();
  }

  private static Ledger.Outcome invalid(List<Violation> violations) {
    return new Ledger.Outcome(
        false,
        Conditions.Reasons.INVALID_SPEC,
        violations.stream().map(Violation::describe).collect(Collectors.joining("; ")));
  }

  private Plan ended(Observation seen, Ledger ledger, List<Violation> violations, Instant now) {
    TrainingJob job = seen.job();
    List<PresentReplica> replicas =
        violations.isEmpty() || ledger.startTime() != null
            ? present(seen, ledger, ReplicaLayout.of(job.spec()))
            : List.of();
    boolean torchrun = job.spec().torchrunConfig() != null && job.spec().torchrunConfig().on();
    Instant completed = ledger.completionTime() == null ? now : ledger.completionTime();
    boolean succeeded = ledger.outcome() != null && ledger.outcome().succeeded();
    Instant from = CleanUp.from(completed, succeeded, torchrun, settings.agentExitGrace());
    String policy = job.spec().runPolicy() == null ? null : job.spec().runPolicy().cleanUpPolicy();
    List<PlannedAction> deletions = new ArrayList<>();
    for (ObservedPod pod : seen.pods()) {
      if (CleanUp.deletes(policy, pod)) {
        deletions.add(new PlannedAction.DeletePod(pod.name(), pod.uid()));
      }
    }
    if (deletions.isEmpty()) {
      return new Plan(Plan.Stage.ENDED, ledger, replicas, List.of(), null);
    }
    return now.isBefore(from)
        ? new Plan(Plan.Stage.ENDED, ledger, replicas, List.of(), from)
        : new Plan(Plan.Stage.ENDED, ledger, replicas, deletions, null);
  }

  private static Plan paused(Observation seen, Ledger ledger, ReplicaLayout layout) {
    List<PlannedAction> deletions = new ArrayList<>();
    boolean unfinished = !seen.creating().isEmpty();
    for (ObservedPod pod : seen.pods()) {
      unfinished |= !pod.ended();
      if (pod.live()) {
        deletions.add(new PlannedAction.DeletePod(pod.name(), pod.uid()));
      }
    }
    Ledger next = unfinished ? ledger : ledger.withPause(Ledger.Pause.PAUSED);
    return new Plan(Plan.Stage.PAUSED, next, present(seen, next, layout), deletions, null);
  }

  /** At resume every replica is created again, also those that were done. */
  private static Ledger resumed(Observation seen, Ledger ledger, ReplicaLayout layout) {
    Map<ReplicaId, Ledger.Slot> slots = new LinkedHashMap<>();
    for (PresentReplica replica : present(seen, ledger, layout)) {
      boolean used = replica.pod() != null || replica.slot().uid() != null;
      slots.put(
          replica.id(),
          used ? new Ledger.Slot(replica.slot().earlierPods() + 1, null) : replica.slot());
    }
    return ledger.withPause(Ledger.Pause.RESUMED).withSlots(slots);
  }

  private Plan active(Observation seen, Ledger ledger, List<PresentReplica> replicas, Instant now) {
    List<PlannedAction> actions = new ArrayList<>();
    boolean oldPodsRemain = stopEarlierPods(seen, ledger, replicas, actions);
    Instant notBefore = FailureHandling.restartAt(ledger, settings.restartDelay());
    boolean delayed = notBefore != null && now.isBefore(notBefore);
    WriteFailure refusal = seen.failure();
    boolean missing = replicas.stream().anyMatch(replica -> isMissing(seen, replica));
    if (oldPodsRemain || (delayed && missing)) {
      return new Plan(Plan.Stage.RESTARTING, ledger, replicas, actions, delayed ? notBefore : null);
    }
    if (refusal != null && now.isBefore(refusal.retryAt())) {
      return new Plan(Plan.Stage.ACTIVE, ledger, replicas, actions, refusal.retryAt());
    }
    if (!seen.serviceExists()) {
      actions.add(new PlannedAction.CreateService());
    }
    RunModeKind mode = mode(seen.job().spec(), ledger);
    for (PresentReplica replica : replicas) {
      if (isMissing(seen, replica)) {
        actions.add(
            new PlannedAction.CreatePod(
                replica.id(),
                replica.name(),
                replica.slot().earlierPods(),
                ledger.counts().attempt(),
                mode));
      }
    }
    Ledger next = ledger.startTime() == null ? ledger.started(firstPod(seen, now)) : ledger;
    return new Plan(Plan.Stage.ACTIVE, next, replicas, actions, null);
  }

  private static boolean isMissing(Observation seen, PresentReplica replica) {
    return replica.pod() == null && !seen.creating().contains(replica.name());
  }

  /** After a crash between creation and report, the pods themselves tell when the job started. */
  private static Instant firstPod(Observation seen, Instant now) {
    return seen.pods().stream()
        .filter(pod -> !pod.ended())
        .map(ObservedPod::createdAt)
        .min(Instant::compareTo)
        .filter(created -> created.isBefore(now))
        .orElse(now);
  }

  /** Stops pods that are no replica's present pod; nothing new starts beside them. */
  private static boolean stopEarlierPods(
      Observation seen, Ledger ledger, List<PresentReplica> replicas, List<PlannedAction> actions) {
    Map<String, PresentReplica> present =
        replicas.stream().collect(Collectors.toMap(PresentReplica::name, replica -> replica));
    boolean remain = false;
    for (ObservedPod pod : seen.pods()) {
      if (present.containsKey(pod.name())) {
        continue;
      }
      if (pod.live()) {
        actions.add(new PlannedAction.DeletePod(pod.name(), pod.uid()));
      }
      remain |= !pod.ended() && pod.attempt() < ledger.counts().attempt();
    }
    return remain;
  }

  private static RunModeKind mode(PyTorchTrainingJobSpec spec, Ledger ledger) {
    if (spec.runMode() != null && spec.runMode().debug() != null && spec.runMode().debug().on()) {
      return RunModeKind.DEBUG;
    }
    return ledger.pause() == Ledger.Pause.RESUMED ? RunModeKind.RESUME : RunModeKind.TRAIN;
  }

  private static @Nullable ObservedPod podOf(ReplicaId id, List<PresentReplica> replicas) {
    for (PresentReplica replica : replicas) {
      if (replica.id().equals(id)) {
        return replica.pod();
      }
    }
    return null;
  }

  /** The present pod of each replica: the one of the ledger, else the newest that is seen. */
  private static List<PresentReplica> present(
      Observation seen, Ledger ledger, ReplicaLayout layout) {
    Map<ReplicaId, Integer> newest = new LinkedHashMap<>();
    for (ObservedPod pod : seen.pods()) {
      newest.merge(pod.replica(), pod.earlierPods(), Math::max);
    }
    Map<String, ObservedPod> byName = seen.podsByName();
    List<PresentReplica> replicas = new ArrayList<>(layout.size());
    for (ReplicaId id : layout.replicas()) {
      Ledger.Slot slot = ledger.slots().get(id);
      int earlierPods = slot != null ? slot.earlierPods() : newest.getOrDefault(id, 0);
      String name = seen.job().names().pod(id.type(), id.index(), earlierPods);
      ObservedPod pod = byName.get(name);
      String uid = pod != null ? pod.uid() : slot == null ? null : slot.uid();
      replicas.add(new PresentReplica(id, name, new Ledger.Slot(earlierPods, uid), pod));
    }
    return replicas;
  }
}
