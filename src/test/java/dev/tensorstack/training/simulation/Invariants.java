package dev.tensorstack.training.simulation;

import dev.tensorstack.training.plan.Plan;
import dev.tensorstack.training.plan.PlannedAction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** All that must hold, asked at the moments when it can break. */
final class Invariants {

  private final Cluster cluster;
  private final LivePods livePods;
  private final PodNames names;
  private final RestartDelays delays = new RestartDelays();
  private final AtRest rest;

  Invariants(Cluster cluster) {
    this.cluster = cluster;
    livePods = new LivePods(cluster);
    names = new PodNames();
    rest = new AtRest(cluster);
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
  void planned(View view, Plan plan) {
    new Counts(view).check(plan);
  }

  /** A status was stored. */
  void stored(JobVersion before, JobVersion after, View view, Plan plan) {
    Terminal.check(before, after);
    delays.stored(before, after, view, plan);
    names.stored(after);
  }

  /** The operator sends a write of a plan. */
  void sent(PlannedAction action, View view, Plan plan) {
    Terminal.checkSent(action, cluster.job(), view, plan);
    if (action instanceof PlannedAction.CreatePod create) {
      delays.sent(create, view);
      livePods.sent(create, view);
    }
  }

  /** A pod was created. */
  void created(SimulatedPod pod, boolean senderLives) {
    if (senderLives) {
      names.created(pod);
    }
    livePods.created(pod, senderLives);
  }

  /** Something happened. */
  void always() {
    livePods.always();
  }

  /** Nothing happens any more. */
  void atRest(Operator operator) {
    rest.check(operator);
  }
}
