package dev.tensorstack.training.core.plan;

import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.ledger.Training;
import dev.tensorstack.training.core.model.FailureCause;
import dev.tensorstack.training.core.model.ProgressPolicy;
import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.model.RunModeKind;
import dev.tensorstack.training.core.naming.Conditions;
import dev.tensorstack.training.core.observe.FailureText;
import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.core.policy.HangDetection;
import dev.tensorstack.training.core.policy.PodFailure;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Finds trainings that do not get on any more, and starts them anew where the job asks for it
 * (docs/tasks/hangs.md). Only a job whose pods all run is looked at: no clock runs while it starts,
 * pauses, is debugged or scaled, or while a failure is to be decided.
 */
final class Hangs {

  private final CurrentReplicas current;
  private final CurrentState state;
  private final ProgressPolicy policy;
  private final @Nullable Training training;
  private @Nullable Instant nextLook;

  /**
   * The hangs of one moment.
   *
   * @param current the replicas, on none of whose failures is anything to be decided
   * @param state the same
   * @param training what was reported; null when nothing ever was
   */
  Hangs(CurrentReplicas current, CurrentState state, @Nullable Training training) {
    this.current = current;
    this.state = state;
    this.policy = state.spec().runPolicy().progress();
    this.training = training;
  }

  /** Whether a failure was a hang, by its reason. */
  static boolean isHang(Ledger.@Nullable Failure failure) {
    return failure != null
        && (Conditions.Reasons.NO_PROGRESS.equals(failure.reason())
            || Conditions.Reasons.NOT_A_NUMBER.equals(failure.reason()));
  }

  /** Whether a job has ended because it hung. */
  static boolean endedBy(Ledger ledger) {
    return ledger.outcome() != null
        && Conditions.Reasons.BACKOFF_LIMIT_EXCEEDED.equals(ledger.outcome().reason())
        && isHang(ledger.lastFailure());
  }

  /**
   * Decides on a hang.
   *
   * @param ledger the ledger as decided so far
   * @param judged whether the pods can be judged now
   * @return the ledger with what is known of the training, and with a problem, a restart or an end
   *     in it when it hangs
   */
  Ledger decide(Ledger ledger, boolean judged) {
    Instant since =
        judged && policy.watches() && ledger.mode() != RunModeKind.DEBUG ? allRunSince() : null;
    HangDetection found =
        since == null
            ? HangDetection.NONE
            : HangDetection.of(
                policy,
                training,
                ledger.counts().attempt(),
                since,
                current.seen().notes().gap(),
                state.now());
    nextLook = found.nextLook();
    Training.Problem problem = found.problem();
    Training known =
        problem == null ? training : Objects.requireNonNullElse(training, Training.NONE);
    if (problem == null || !policy.restarts()) {
      return ledger.withTraining(known == null ? null : known.with(problem));
    }
    return restarted(ledger.withTraining(known == null ? null : known.with(null)), problem);
  }

  /** When a limit is reached if nothing happens before; null for never. */
  @Nullable Instant nextLook() {
    return nextLook;
  }

  private Ledger restarted(Ledger ledger, Training.Problem problem) {
    ReplicaId master = current.layout().master();
    CurrentReplica replica =
        current.all().stream().filter(one -> one.id().equals(master)).findFirst().orElseThrow();
    ObservedPod pod = replica.pod();
    PodFailure failure =
        new PodFailure(
            master,
            replica.name(),
            FailureCause.Application,
            null,
            null,
            problem.reason(),
            problem.message(),
            pod == null ? null : pod.node(),
            state.now(),
            FailureText.Origin.OWN,
            state.now(),
            false);
    FailureBudget budget = new FailureBudget(state);
    if (budget.isUsedUp(ledger.counts())) {
      return ledger
          .failed(failure.toLedger(), ledger.counts())
          .ended(
              new Ledger.Outcome(
                  false,
                  Conditions.Reasons.BACKOFF_LIMIT_EXCEEDED,
                  problem.reason() + ": " + problem.message() + budget.usedUp()),
              state.now());
    }
    Restarts restarts = new Restarts(state.settings(), state.spec().runPolicy(), state.now());
    Ledger counted = restarts.counted(ledger, failure, true);
    return counted.withSlots(
        Slots.ofNextAttempt(
            ledger,
            state.replicas(),
            restarts.notBefore(counted, FailureCause.Application, state.now())));
  }

  /**
   * Since when all pods run that are to: of an elastic job enough of them. What is done is not
   * waited for.
   *
   * @return the latest change of the ring; null when not all run, or when nobody knows of one
   */
  private @Nullable Instant allRunSince() {
    Instant since = Instant.MIN;
    int running = 0;
    int missing = 0;
    for (CurrentReplica replica : current.all()) {
      ObservedPod pod = replica.pod();
      if (replica.done() && state.isMaster(replica.id())) {
        // What others still do, such as to save, nobody reports any more.
        return null;
      }
      if (replica.done()) {
        continue;
      }
      Instant runningSince =
          pod != null && pod.live() && pod.phase() == ObservedPod.Phase.RUNNING
              ? pod.runningSince()
              : null;
      if (pod != null && runningSince != null) {
        if (pod.lostSince() != null) {
          return null;
        }
        running++;
        since = later(since, runningSince);
      } else if (state.isMaster(replica.id())) {
        return null;
      } else {
        missing++;
      }
    }
    boolean enough =
        state.spec().elastic() == null
            ? missing == 0
            : running >= Math.min(state.spec().elastic().minReplicas(), running + missing);
    if (running == 0 || !enough) {
      return null;
    }
    Ledger ledger = current.ledger();
    Ledger.Failure failure = ledger.lastFailure();
    since = later(since, ledger.shrunkAt());
    // A node that has left without another in its place changed the ring as well.
    return failure == null || isHang(failure) ? since : later(since, failure.time());
  }

  private static Instant later(Instant a, @Nullable Instant b) {
    return b != null && b.isAfter(a) ? b : a;
  }
}
