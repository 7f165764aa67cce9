package dev.tensorstack.training.core.plan;

import static java.util.Objects.requireNonNullElse;

import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.model.JobSpec;
import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.model.RunModeKind;
import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.core.naming.Conditions;
import dev.tensorstack.training.core.observe.Observation;
import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.core.policy.BackoffWindow;
import dev.tensorstack.training.core.policy.Deadline;
import dev.tensorstack.training.core.policy.ReplicaLayout;
import dev.tensorstack.training.core.policy.TrainingProgress;
import java.time.Instant;
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
    QueueState queue = QueueState.of(seen);
    Plan plan =
        DependentsPlan.complete(
            seen,
            decide(heard(queue.limited(seen), now), queue, violations, now).whileTraining(),
            settings,
            now);
    return GangWake.complete(seen, plan, now)
        .heldBack(seen.job(), seen.refused(), now)
        .notLaterThan(nextChangeOfBudget(seen.job(), plan, now));
  }

  /** What the training has reported is known whatever is decided. */
  private static Observation heard(Observation seen, Instant now) {
    Ledger ledger = seen.job().ledger();
    return seen.job().deleting() || ledger.outcome() != null
        ? seen
        : seen.with(
            seen.job()
                .withLedger(
                    ledger.withTraining(
                        TrainingProgress.after(
                            ledger.training(),
                            seen.notes().reports(),
                            ledger.counts().attempt(),
                            now))));
  }

  /** The status says how much of the budget is used now; null once the job has ended. */
  private static @Nullable Instant nextChangeOfBudget(TrainingJob job, Plan plan, Instant now) {
    return job.deleting() || plan.ledger().outcome() != null
        ? null
        : BackoffWindow.nextExpiry(job.spec().runPolicy(), plan.ledger().counts(), now);
  }

  private Plan decide(Observation seen, QueueState queue, List<Violation> violations, Instant now) {
    TrainingJob job = seen.job();
    JobSpec spec = job.spec();
    Ledger ledger = job.ledger();

    // 1. A job that is being deleted is Kubernetes' to collect.
    if (job.deleting()) {
      return new Plan(Plan.Stage.DELETING, ledger, null, List.of(), null);
    }
    // 2. Terminal is terminal: only its pods, and in the end itself, are left to clean up.
    EndedJob end = new EndedJob(seen, violations, settings, now);
    if (ledger.outcome() != null) {
      return end.plan(ledger);
    }
    // 3. What cannot work is not started; what started under other rules goes on.
    if (!violations.isEmpty() && neverStarted(seen, ledger)) {
      return end.plan(ledger.ended(invalid(violations), now));
    }

    ReplicaLayout layout =
        FailureBeforeShrink.hold(
            seen, ledger, DesiredReplicas.of(seen, ledger, now), settings, now);
    CurrentReplicas current = resized(seen, ledger, layout, now);
    ledger = current.ledger();

    // 4. The job has succeeded, by the criterion of its kind.
    Ledger.Outcome success = JobSuccess.of(spec.traits().success(), current);
    if (success != null) {
      return end.plan(withRestartsInPlace(ledger, current, seen, now).ended(success, now));
    }
    // 5. Pods that stop for a pause are left alone, and so is the clock.
    PausedJob pause = new PausedJob(current, settings, now);
    if (ledger.pause() == Ledger.Pause.PAUSING) {
      return pause.stop(ledger);
    }
    if (ledger.pause() == Ledger.Pause.PAUSED) {
      // Each resume queues anew: the place of before goes first.
      if (spec.pause() || !queue.entries().isEmpty() || !queue.left().isEmpty()) {
        return pause.stay(ledger);
      }
      ledger = pause.resume(ledger, wantedMode(spec, Ledger.Pause.RESUMED));
      current = current.with(ledger);
    }
    // 6. So are those that the queue takes away; while the job waits for its turn, no clock runs.
    if (ledger.hold() == Ledger.Hold.STOPPING) {
      return new HeldJob(current, queue, settings, now).stop(ledger);
    }
    if (ledger.hold() == Ledger.Hold.WAITING) {
      HeldJob held = new HeldJob(current, queue, settings, now);
      if (spec.pause()) {
        return pause.begin(ledger.withHold(null));
      }
      if (!held.isOver()) {
        return held.stay(ledger);
      }
      ledger = held.release(ledger);
      current = current.with(ledger);
    }
    // 7. The deadline ends the job.
    Instant deadline = Deadline.of(spec.runPolicy(), ledger.startTime());
    if (deadline != null && !now.isBefore(deadline) && ledger.ending() == null) {
      return end.plan(withRestartsInPlace(ledger, current, seen, now).ended(tooLate(spec), now));
    }
    // 8. What kubelets have restarted is counted; failures end the job or start pods anew.
    ledger = withMode(ledger, current.all());
    boolean debugComes = spec.debug() && ledger.mode() != RunModeKind.DEBUG;
    boolean mayWait =
        !spec.pause() && !debugComes && !new HeldJob(current, queue, settings, now).begins();
    if (spec.traits().restartsInPlace()) {
      boolean waits = ledger.ending() != null;
      ledger = inPlace(current, seen, now).decide(ledger);
      if (ledger.ending() != null) {
        return new EndingJob(current, settings, now).plan(ledger, waits || mayWait, end);
      }
      current = current.with(ledger);
    }
    FailureHandling failures =
        new FailureHandling(
            new CurrentState(spec, layout, current.all(), seen.notes(), settings, now));
    Ledger decided = failures.decide(ledger, mayWait);
    if (decided.outcome() != null) {
      return end.plan(decided);
    }
    // What waited to leave the ring of before, or for this decision, is in no ring any more.
    current =
        decided.counts().attempt() == ledger.counts().attempt()
            ? current.with(decided)
            : resized(seen, decided, DesiredReplicas.wanted(seen, job.ledger()), now);
    ledger = current.ledger();
    // 9. A training that does not get on is told, or started anew.
    Hangs hangs =
        new Hangs(
            current,
            new CurrentState(spec, current.layout(), current.all(), seen.notes(), settings, now),
            ledger.training());
    Ledger judged = hangs.decide(ledger, mayWait && failures.waiting() == null);
    if (judged.outcome() != null) {
      return end.plan(judged);
    }
    current =
        judged.counts().attempt() == ledger.counts().attempt()
            ? current.with(judged)
            : resized(seen, judged, DesiredReplicas.wanted(seen, job.ledger()), now);
    ledger = current.ledger();
    // 10. A pause, or a hold, is decided once what went wrong before it is in the ledger.
    if (spec.pause()) {
      return new PausedJob(current, settings, now).begin(ledger);
    }
    HeldJob held = new HeldJob(current, queue, settings, now);
    if (held.begins()) {
      return held.begin(ledger);
    }
    // 11. Another run mode means other pods.
    ledger = switched(ledger, current.all(), wantedMode(spec, ledger.pause()));
    ledger = RemovedReplicas.inNextAttempt(seen, job.ledger(), ledger);
    // 12. What is superfluous is deleted, what is missing is created.
    Plan active =
        new ActiveJob(current.with(ledger), queue, settings, now)
            .plan(wantedMode(spec, ledger.pause()), failures.waiting() != null);
    // The clock may only just have begun, and this may be the last look before it runs out.
    return active
        .notLaterThan(Deadline.of(spec.runPolicy(), active.ledger().startTime()))
        .notLaterThan(DesiredReplicas.nextShrink(seen, current.layout(), ledger, now))
        .notLaterThan(hangs.nextLook())
        .whileFailing(failures.waiting());
  }

  /** The replicas of a layout, with a ledger that knows which have left and which wait to. */
  private static CurrentReplicas resized(
      Observation seen, Ledger ledger, ReplicaLayout layout, Instant now) {
    CurrentReplicas current = CurrentReplicas.of(seen, ledger, layout);
    Ledger known = RemovedReplicas.remember(current, now);
    return current.with(
        known.waitingToShrink(
            DesiredReplicas.holdsBack(seen, layout)
                ? requireNonNullElse(known.shrinkWaitingSince(), now)
                : null));
  }

  private static boolean neverStarted(Observation seen, Ledger ledger) {
    return ledger.startTime() == null
        && ledger.pause() == Ledger.Pause.NONE
        && seen.pods().isEmpty();
  }

  private static Ledger.Outcome invalid(List<Violation> violations) {
    return new Ledger.Outcome(
        false,
        Conditions.Reasons.INVALID_SPEC,
        violations.stream().map(Violation::describe).collect(Collectors.joining("; ")));
  }

  /** What has happened before the job ends counts as well. */
  private Ledger withRestartsInPlace(
      Ledger ledger, CurrentReplicas current, Observation seen, Instant now) {
    return seen.job().spec().traits().restartsInPlace()
        ? inPlace(current, seen, now).counted(ledger)
        : ledger;
  }

  private InPlaceRestarts inPlace(CurrentReplicas current, Observation seen, Instant now) {
    return new InPlaceRestarts(
        new CurrentState(
            seen.job().spec(), current.layout(), current.all(), seen.notes(), settings, now));
  }

  private static Ledger.Outcome tooLate(JobSpec spec) {
    return new Ledger.Outcome(
        false,
        Conditions.Reasons.DEADLINE_EXCEEDED,
        "the job ran longer than its activeDeadlineSeconds of "
            + spec.runPolicy().activeDeadlineSeconds());
  }

  private static RunModeKind wantedMode(JobSpec spec, Ledger.Pause pause) {
    if (spec.debug()) {
      return RunModeKind.DEBUG;
    }
    return pause == Ledger.Pause.RESUMED ? RunModeKind.RESUME : RunModeKind.TRAIN;
  }

  /** A status from before modes were stored: the pods say what they are for. */
  private static Ledger withMode(Ledger ledger, List<CurrentReplica> replicas) {
    if (ledger.mode() != null) {
      return ledger;
    }
    for (CurrentReplica replica : replicas) {
      ObservedPod pod = replica.pod();
      if (pod != null) {
        return ledger.inMode(ledger.counts(), pod.mode());
      }
    }
    return ledger;
  }

  /** Debug switched on or off: a new attempt, which costs nothing. */
  private static Ledger switched(Ledger ledger, List<CurrentReplica> replicas, RunModeKind wanted) {
    RunModeKind present = requireNonNullElse(ledger.mode(), wanted);
    boolean other = (present == RunModeKind.DEBUG) != (wanted == RunModeKind.DEBUG);
    if (!other) {
      return ledger;
    }
    boolean noPods = replicas.stream().noneMatch(CurrentReplica::used);
    Map<ReplicaId, Ledger.Slot> slots = new LinkedHashMap<>();
    // The delays of one mode are none of the other's.
    Slots.ofNextAttempt(ledger, replicas, null)
        .forEach((id, slot) -> slots.put(id, slot.withoutDelay()));
    return ledger
        .inMode(noPods ? ledger.counts() : ledger.counts().nextAttempt(), wanted)
        .withSlots(slots);
  }
}
