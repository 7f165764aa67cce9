package dev.tensorstack.training.simulation;

import dev.tensorstack.training.core.plan.PlannedAction;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobStatus;
import java.time.Duration;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * All that must hold of a PyTorchTrainingJob, asked at the moments when it can break; one invariant
 * a class.
 */
final class Invariants implements Oracle {

  private final Cluster cluster;
  private final LivePods livePods;
  private final Memory memory = new Memory();
  private final PodNames names = new PodNames();
  private final Delays delays = new Delays();
  private final Scaling scaling;

  Invariants(Cluster cluster) {
    this.cluster = cluster;
    livePods = new LivePods(cluster);
    scaling = new Scaling(cluster);
  }

  /** Fails with the invariant's name and what it is about; text is only made when it fails. */
  static void require(boolean holds, String invariant, Object... about) {
    if (!holds) {
      throw new Broken(
          invariant, Stream.of(about).map(String::valueOf).collect(Collectors.joining(" ")));
    }
  }

  /** An invariant does not hold. */
  static final class Broken extends RuntimeException {
    private static final long serialVersionUID = 1;

    final String invariant;

    Broken(String invariant, String about) {
      super(invariant + ": " + about);
      this.invariant = invariant;
    }
  }

  private static PyTorchTrainingJobStatus statusOf(Step step) {
    return ((TrainingJobResource) step.next()).status();
  }

  @Override
  public JobLook look(View view, SimulatedJob next) {
    return new Look(cluster, view, next, memory.counted());
  }

  /** Another process begins. */
  @Override
  public void newOperator() {
    memory.newOperator();
  }

  /** The operator has planned. */
  @Override
  public void planned(Step step) {
    Look look = (Look) step.look();
    if (!look.isCurrent(cluster)) {
      // Its cache is behind: what it decides now is refused with a conflict.
      return;
    }
    memory.planned(look);
    decided(look);
    Claims.check(look, statusOf(step), memory);
    scaling.planned(look);
  }

  private void decided(Look look) {
    Terminal.check(look);
    EndedStays.check(look, memory);
    LostGrace.check(look);
    Modes.check(look);
    Outcomes.check(look, memory);
    Charges.check(look, memory);
    RootCause.check(look, memory);
  }

  /** A status was stored. */
  @Override
  public void stored(Step step) {
    Look look = (Look) step.look();
    BothForms.check(statusOf(step));
    PausedWhenGone.check(look);
    if (look.before.pausing() && !look.after.pausing()) {
      // A replica that failed at the moment of the pause has had no pod since: the name is the
      // same.
      delays.resumed();
    }
    delays.stored(look, memory);
    names.stored(look);
    scaling.stored(look);
    memory.stored(look);
  }

  /** The operator sends a write of a plan. */
  @Override
  public void sent(PlannedAction action, Step step) {
    Look look = (Look) step.look();
    boolean current = look.isCurrent(cluster) || look.after == cluster.job().stated();
    if (current) {
      DecisionFirst.check(action, look, cluster.job().stated());
    }
    if (action instanceof PlannedAction.CreatePod create) {
      Creations.check(create, look);
      if (current) {
        names.sent(create);
      }
      delays.sent(create, look);
      livePods.sent(create, step.view());
    } else if (action instanceof PlannedAction.DeletePod delete) {
      Deletions.check(delete, look, cluster, memory);
    } else if (action instanceof PlannedAction.DeleteJob) {
      JobDeletion.check(look);
    }
  }

  /** A pod was created. */
  @Override
  public void created(SimulatedPod pod, boolean senderLives) {
    livePods.created(pod, senderLives);
  }

  /** Something happened. */
  @Override
  public void always() {
    livePods.always();
  }

  /** Nothing happens until the operator's next timer. */
  @Override
  public void asleep(Operator operator) {
    Timers.check(cluster, operator, memory);
  }

  /** Nothing happens any more. */
  @Override
  public void atRest(Operator operator) {
    JobVersion job = cluster.job();
    if (!job.exists()) {
      DeletedAtRest.check(cluster);
      return;
    }
    Rest.check(cluster, operator);
    // Nothing was left undecided either, however long it waits.
    Look later = (Look) operator.look(cluster.now().plus(Duration.ofDays(1)));
    decided(later);
    KeptAtRest.check(cluster);
    if (job.stated().ended()) {
      EndedAtRest.check(cluster);
    } else if (TrainingJobResource.specOf(job).pauseOn()) {
      PausedAtRest.check(cluster);
    } else {
      ActiveAtRest.check(cluster, later);
    }
  }
}
