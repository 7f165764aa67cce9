package dev.tensorstack.training.core.plan;

import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.ledger.Training;
import dev.tensorstack.training.core.observe.ObjectWrite;
import dev.tensorstack.training.core.observe.RefusedWrites;
import dev.tensorstack.training.core.observe.TrainingJob;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What to do next about a job.
 *
 * @param stage what the job is doing
 * @param ledger the ledger as it shall be; when it holds a new decision, it must be stored before
 *     any action is taken
 * @param current the replicas that shall exist, in the order of their ranks, each with its present
 *     pod; null for a job that is being deleted, or whose spec cannot be laid out
 * @param actions the writes to make
 * @param requeueAt when to look again though nothing happened, or null
 * @param gate whether its pods can be created as far as their queue and their PodGroup are
 *     concerned; open too when all are there
 * @param failing a failure on which nothing is decided yet, as a sentence for people; null when
 *     there is none
 * @param refused the refusals of what is wanted now, with those of writes that have to wait because
 *     of them and are not among the actions
 */
public record Plan(
    Stage stage,
    Ledger ledger,
    @Nullable CurrentReplicas current,
    List<PlannedAction> actions,
    @Nullable Instant requeueAt,
    GangGate gate,
    @Nullable String failing,
    RefusedWrites refused) {

  /** A plan that waits for a PodGroup or for none. */
  Plan(
      Stage stage,
      Ledger ledger,
      @Nullable CurrentReplicas current,
      List<PlannedAction> actions,
      @Nullable Instant requeueAt,
      GangGate gate) {
    this(stage, ledger, current, actions, requeueAt, gate, null, RefusedWrites.NONE);
  }

  /** A plan that waits for no PodGroup. */
  Plan(
      Stage stage,
      Ledger ledger,
      @Nullable CurrentReplicas current,
      List<PlannedAction> actions,
      @Nullable Instant requeueAt) {
    this(stage, ledger, current, actions, requeueAt, GangGate.OPEN, null, RefusedWrites.NONE);
  }

  /**
   * The replicas that shall exist.
   *
   * @return in the order of their ranks, each with its present pod; empty where there are none
   */
  public List<CurrentReplica> replicas() {
    return current == null ? List.of() : current.all();
  }

  /** What a job is doing. */
  public enum Stage {
    /** Its pods run or are being created. */
    ACTIVE,
    /** Pods of an earlier attempt are stopped, or the delay before all are created again runs. */
    RESTARTING,
    /** Its pods are being stopped for a pause, or are gone. */
    PAUSED,
    /** Its queue lets it have no pods any more: they are being stopped, or are gone. */
    HELD,
    /** It has ended. */
    ENDED,
    /** It is being deleted; Kubernetes collects what belongs to it. */
    DELETING
  }

  /**
   * The same plan, looked at again at a moment or before.
   *
   * @param moment the latest moment of the next look, or null
   * @return a plan with the earlier wake-up
   */
  Plan notLaterThan(@Nullable Instant moment) {
    return new Plan(
        stage, ledger, current, actions, earlier(requeueAt, moment), gate, failing, refused);
  }

  /**
   * The same plan while a failure waits for the other pods to end.
   *
   * @param waiting the failure, or null when none does
   * @return a plan that says so and looks again in time
   */
  Plan whileFailing(@Nullable FailureWait waiting) {
    return waiting == null
        ? this
        : new Plan(
            stage,
            ledger,
            current,
            actions,
            earlier(requeueAt, waiting.until()),
            gate,
            waiting.describe(),
            refused);
  }

  /**
   * The same plan without the writes that have to wait because they, or those that wait with them,
   * were refused: a quota that is used up does not keep pods from being stopped.
   *
   * @param job the job
   * @param known all refusals that are remembered
   * @param now the present time
   * @return a plan that tries those again in time, and knows no refusals but of what it wants
   */
  Plan heldBack(TrainingJob job, RefusedWrites known, Instant now) {
    if (known.isEmpty()) {
      return this;
    }
    Map<ObjectWrite, Instant> heldBack = known.heldBack(now);
    Set<ObjectWrite> wanted = new HashSet<>();
    List<PlannedAction> allowed = new ArrayList<>();
    Instant next = requeueAt;
    for (PlannedAction action : actions) {
      ObjectWrite write = action.write(job);
      Instant until = write == null ? null : heldBack.get(write.company());
      if (write != null) {
        wanted.add(write);
      }
      if (until == null) {
        allowed.add(action);
      }
      next = earlier(next, until);
    }
    return new Plan(stage, ledger, current, allowed, next, gate, failing, known.ofWanted(wanted));
  }

  /**
   * The same plan, in which a hang is told only of a job that works.
   *
   * @return a plan without a problem of the training in any other stage
   */
  Plan whileTraining() {
    Training training = ledger.training();
    return training == null || training.problem() == null || stage == Stage.ACTIVE
        ? this
        : new Plan(
            stage,
            ledger.withTraining(training.with(null)),
            current,
            actions,
            requeueAt,
            gate,
            failing,
            refused);
  }

  /**
   * The same plan with further writes.
   *
   * @param further what comes before the other writes
   * @return a plan with both
   */
  Plan with(List<PlannedAction> further) {
    if (further.isEmpty()) {
      return this;
    }
    List<PlannedAction> all = new ArrayList<>(further);
    all.addAll(actions);
    return new Plan(stage, ledger, current, all, requeueAt, gate, failing, refused);
  }

  /** The earlier of two moments; null stands for never. */
  static @Nullable Instant earlier(@Nullable Instant a, @Nullable Instant b) {
    return a == null || (b != null && b.isBefore(a)) ? b : a;
  }
}
