package dev.tensorstack.training.simulation;

import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import java.time.Duration;
import java.time.Instant;

/** While nothing happens, the operator looks again in time for the next of its timers. */
final class Timers {

  private Timers() {}

  static void check(Cluster cluster, Operator operator, Memory memory) {
    JobVersion job = cluster.job();
    PyTorchTrainingJobSpec spec = TrainingJobResource.specOf(job);
    Stated stated = job.stated();
    Instant now = cluster.now();
    Instant requeueAt = operator.requeueAt();
    if (stated.ended()) {
      Integer ttl = spec.runPolicy().ttlSecondsAfterFinished();
      require(now, ttl == null ? null : stated.completion().plusSeconds(ttl), requeueAt, "TTL");
      boolean waits =
          !spec.runPolicy().cleanUpPolicy().equals("None")
              && !stated.endReason().equals("DeadlineExceeded")
              && cluster.pods.values().stream()
                  .anyMatch(pod -> pod.running() && !pod.deleting() && !cluster.isLost(pod));
      Duration grace = spec.torchrunOn() ? Contract.AGENT_EXIT_GRACE : Contract.EXIT_GRACE;
      Instant due = stated.completion().plus(grace);
      Instant refused = operator.deletionsWaitUntil();
      due = refused != null && refused.isAfter(due) ? refused : due;
      require(now, waits ? due : null, requeueAt, "grace of the others");
      return;
    }
    for (SimulatedPod pod : cluster.presentPods()) {
      Instant since = pod.node() == null ? null : cluster.lostNodes().get(pod.node());
      if (since != null && !pod.ended() && !since.equals(Instant.EPOCH)) {
        require(now, Contract.givenUpAt(since, pod.createdAt), requeueAt, "node loss grace");
      }
    }
    if (stated.pausing()) {
      return;
    }
    Look look = (Look) operator.look(now);
    // What is on a lost node may be what the others failed of: its grace is looked at above.
    boolean mayBeANode = look.fates.keySet().stream().anyMatch(look::onLostNode);
    if (!look.failureGrace.isZero() && look.trains() && !mayBeANode) {
      for (Look.Failure failure : look.failures(memory)) {
        boolean mayStay = job.elastic() && !job.isMaster(failure.id());
        Instant seen = mayStay ? null : memory.seenFailed(failure.fate());
        if (seen != null) {
          // The clock may have been put back since.
          Instant failed = failure.fate().until();
          Instant from = failed.isAfter(seen) ? failed : seen;
          require(now, from.plus(look.failureGrace), requeueAt, "failure grace");
        }
      }
    }
    Long seconds = spec.runPolicy().activeDeadlineSeconds();
    if (seconds != null && stated.start() != null && !stated.debugging()) {
      require(now, stated.start().plusSeconds(seconds), requeueAt, "deadline");
    }
    boolean olderPodsRun =
        cluster.pods.values().stream()
            .anyMatch(pod -> !pod.ended() && pod.attempt < stated.attempt());
    if (!olderPodsRun) {
      for (Stated.Entry entry : stated.replicas().values()) {
        require(now, entry.uid() == null ? entry.restartAt() : null, requeueAt, "restart");
      }
    }
    if (job.elastic() && !Layout.isWished(spec, Scaling.counts(stated))) {
      ringIsFormed(cluster, now, requeueAt);
    }
  }

  private static void ringIsFormed(Cluster cluster, Instant now, Instant requeueAt) {
    Instant last = null;
    for (SimulatedPod pod : cluster.everCreated()) {
      for (Instant change : new Instant[] {pod.ranFrom(), pod.stoppedAt()}) {
        last = last == null || (change != null && change.isAfter(last)) ? change : last;
      }
    }
    require(now, last == null ? null : last.plus(Contract.RING_GRACE), requeueAt, "scaling");
  }

  private static void require(Instant now, Instant due, Instant requeueAt, String timer) {
    Invariants.require(
        due == null || due.isBefore(now) || !requeueAt.isAfter(due.plus(Contract.CUT)),
        "timers fire on time",
        timer,
        "at",
        due,
        "but it sleeps until",
        requeueAt);
  }
}
