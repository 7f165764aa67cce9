package dev.tensorstack.training.simulation;

import dev.tensorstack.training.plan.PlannedAction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** All that must hold, asked at the moments when it can break; one invariant a class. */
final class Invariants {

  private final Cluster cluster;
  private final LivePods livePods;
  private final PodNames names = new PodNames();
  private final RestartDelays delays = new RestartDelays();
  private final Tally tally;
  private final Unpaid unpaid;

  Invariants(Cluster cluster) {
    this.cluster = cluster;
    livePods = new LivePods(cluster);
    tally = new Tally(cluster);
    unpaid = new Unpaid(cluster, tally);
  }

  /** Fails with the invariant's name and what it is about; text is only made when it fails. */
  static void require(boolean holds, String invariant, Object... about) {
    if (!holds) {
      throw new Broken(
          invariant
              + ": "
              + Stream.of(about).map(String::valueOf).collect(Collectors.joining(" ")));
    }
  }

  /** An invariant does not hold. */
  static final class Broken extends RuntimeException {
    private static final long serialVersionUID = 1;

    Broken(String message) {
      super(message);
    }
  }

  /** The operator has planned. */
  void planned(Step step) {
    Scaling.check(step);
    EndsWhenItMust.check(step);
    FailuresCounted.check(step);
    Budget.check(step);
    Replacements.check(step);
  }

  /** A status was stored. */
  void stored(JobVersion before, JobVersion after, Step step) {
    Terminal.check(before, after);
    PausedWhenGone.check(before, after, step.view());
    tally.stored(after, step);
    delays.stored(before, after, step);
    names.stored(after);
    unpaid.stored(after);
  }

  /** The operator sends a write of a plan. */
  void sent(PlannedAction action, Step step) {
    DecisionFirst.check(action, step, cluster.job());
    if (action instanceof PlannedAction.CreatePod create) {
      NothingCreated.check(create, step);
      names.sent(create);
      delays.sent(create, step.view());
      livePods.sent(create, step.view());
    } else if (action instanceof PlannedAction.DeleteJob) {
      JobDeletion.check(step);
    }
  }

  /** A pod was created. */
  void created(SimulatedPod pod, boolean senderLives) {
    livePods.created(pod, senderLives);
  }

  /** Something happened. */
  void always() {
    livePods.always();
  }

  /** Nothing happens any more. */
  void atRest(Operator operator) {
    JobVersion job = cluster.job();
    if (!job.exists()) {
      DeletedAtRest.check(cluster);
      return;
    }
    Rest.check(cluster, operator);
    KeptAtRest.check(cluster);
    unpaid.atRest();
    if (job.ledger().outcome() != null) {
      EndedAtRest.check(cluster);
    } else if (job.pauseWanted()) {
      PausedAtRest.check(cluster);
    } else {
      ActiveAtRest.check(cluster);
    }
  }
}
