package dev.tensorstack.training.simulation;

import dev.tensorstack.training.observation.Ledger;
import dev.tensorstack.training.observation.ReplicaId;
import java.time.Duration;
import java.time.Instant;

/** While nothing happens, the operator looks again in time for the next of its timers. */
final class Timers {

  private static final Duration CUT = Duration.ofSeconds(1);

  private Timers() {}

  static void check(Cluster cluster, Operator operator) {
    JobVersion job = cluster.job();
    Ledger ledger = job.ledger();
    Instant now = cluster.now();
    Instant wakeUp = operator.wakeUp();
    Integer ttl = job.spec().runPolicy().ttlSecondsAfterFinished();
    if (ledger.outcome() != null) {
      require(now, ttl == null ? null : ledger.completionTime().plusSeconds(ttl), wakeUp, "TTL");
      return;
    }
    for (SimulatedPod pod : cluster.pods.values()) {
      if (cluster.isLost(pod) && !pod.ended()) {
        Instant grace = cluster.lostNodes().get(pod.node()).plus(Settings.GRACE);
        require(now, grace, wakeUp, "node loss grace");
      }
    }
    if (ledger.pause() == Ledger.Pause.PAUSED || ledger.pause() == Ledger.Pause.PAUSING) {
      return;
    }
    Long seconds = job.spec().runPolicy().activeDeadlineSeconds();
    if (seconds != null && ledger.startTime() != null) {
      require(now, ledger.startTime().plusSeconds(seconds), wakeUp, "deadline");
    }
    for (ReplicaId id : Scaling.replicas(job)) {
      Ledger.Slot slot = ledger.slots().get(id);
      boolean waits = slot != null && slot.uid() == null && !olderPodsRun(cluster, ledger);
      require(now, waits ? slot.restartAt() : null, wakeUp, "restart");
    }
  }

  private static boolean olderPodsRun(Cluster cluster, Ledger ledger) {
    return cluster.pods.values().stream()
        .anyMatch(pod -> !pod.ended() && pod.attempt < ledger.counts().attempt());
  }

  private static void require(Instant now, Instant due, Instant wakeUp, String timer) {
    Invariants.require(
        due == null || due.isBefore(now) || !wakeUp.isAfter(due.plus(CUT)),
        "timers fire on time",
        timer,
        "at",
        due,
        "but it sleeps until",
        wakeUp);
  }
}
