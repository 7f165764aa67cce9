package dev.tensorstack.training.simulation;

import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.core.plan.PlannedAction;
import dev.tensorstack.training.kind.trainingjob.v1beta1.RestartScope;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Never two live pods of one replica; nothing of an attempt while the one before still runs. */
final class LivePods {

  private final Cluster cluster;

  LivePods(Cluster cluster) {
    this.cluster = cluster;
  }

  /** True at every moment, whatever the operator could know. */
  void always() {
    List<SimulatedPod> live = new ArrayList<>();
    for (SimulatedPod pod : cluster.pods.values()) {
      if (!pod.ended() && !pod.deleting() && !givenUp(pod) && !pod.stale) {
        for (SimulatedPod other : live) {
          Invariants.require(
              !other.replica.equals(pod.replica) || other.attempt != pod.attempt,
              cluster.isLost(other) || cluster.isLost(pod)
                  ? LostGrace.NAME
                  : "one live pod of a replica and attempt",
              other,
              pod);
        }
        live.add(pod);
      }
    }
  }

  /** What the operator sees of a replica has ended before it asks for the next. */
  void sent(PlannedAction.CreatePod create, View view) {
    boolean begun =
        view.pods().values().stream().anyMatch(pod -> pod.pod().attempt() == create.attempt());
    for (PodVersion seen : view.pods().values()) {
      ObservedPod pod = seen.pod();
      if (isGone(pod, view)) {
        if (pod.replica().equals(create.replica()) && !pod.ended()) {
          // Its node may be back already, and the cache of nodes not know of it.
          cluster.everCreated(pod.uid()).giveUp();
        }
        continue;
      }
      boolean lost = pod.node() != null && view.lostNodes().containsKey(pod.node());
      Invariants.require(
          !lost
              || (!pod.replica().equals(create.replica())
                  && (begun || pod.attempt() >= create.attempt())),
          LostGrace.NAME,
          create,
          "beside",
          pod);
      Invariants.require(
          !pod.replica().equals(create.replica()),
          "a replica's place is free before its next pod",
          create,
          "beside",
          pod);
      // Once it has begun, what a killed operator or a node that was given up brings back goes.
      Invariants.require(
          begun || pod.attempt() >= create.attempt(),
          "an attempt begins after the one before has stopped",
          create,
          "beside",
          pod);
    }
  }

  /** As far as the operator can know. */
  private boolean isGone(ObservedPod pod, View view) {
    Instant lost = pod.node() == null ? null : view.lostNodes().get(pod.node());
    SimulatedPod real = cluster.everCreated(pod.uid());
    return pod.ended()
        || (lost != null
            && (lost.equals(Instant.EPOCH)
                || !view.now().isBefore(Contract.givenUpAt(lost, pod.createdAt()))))
        || (real.wasGivenUp() && real.deleting());
  }

  /** What an operator that lives knows of its own writes counts as well. */
  void created(SimulatedPod created, boolean senderLives) {
    if (!senderLives) {
      return;
    }
    for (SimulatedPod pod : cluster.pods.values()) {
      boolean exempt = givenUp(pod) || cluster.wasLost(pod) || pod.unanswered;
      if (pod == created || pod.ended() || pod.deleting() || exempt) {
        continue;
      }
      Invariants.require(
          !pod.replica.equals(created.replica),
          cluster.isLost(pod) ? LostGrace.NAME : "one live pod of a replica",
          pod,
          created);
      Invariants.require(
          pod.attempt == created.attempt || !isScopeJob(),
          "pods of two attempts do not run together",
          pod,
          created);
    }
  }

  private boolean isScopeJob() {
    return RestartScope.Job.name()
        .equals(TrainingJobResource.specOf(cluster.job()).runPolicy().restartScope());
  }

  private boolean givenUp(SimulatedPod pod) {
    if (pod.wasGivenUp()) {
      return true;
    }
    Instant since = pod.node() == null ? null : cluster.lostNodes().get(pod.node());
    // The operator may hear of a lost node late, but never too early.
    return since != null && isGivenUp(since, pod, cluster.now());
  }

  static boolean isGivenUp(Instant lostSince, SimulatedPod pod, Instant now) {
    return lostSince.equals(Instant.EPOCH)
        || !now.plusSeconds(5).isBefore(Contract.givenUpAt(lostSince, pod.createdAt));
  }
}
