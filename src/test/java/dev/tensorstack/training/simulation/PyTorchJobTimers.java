package dev.tensorstack.training.simulation;

import dev.tensorstack.training.kind.pytorchjob.v1.RunPolicy;
import java.time.Duration;
import java.time.Instant;

/** While nothing happens, the operator looks again in time for the next of its timers. */
final class PyTorchJobTimers {

  private static final RunPolicy NONE = new RunPolicy(null, null, null, null, null, null, null);

  private PyTorchJobTimers() {}

  static void check(Cluster cluster, Operator operator, Memory memory) {
    JobVersion job = cluster.job();
    PyTorchJobResource resource = PyTorchJobResource.of(job);
    RunPolicy policy = resource.spec().runPolicy() == null ? NONE : resource.spec().runPolicy();
    Stated stated = job.stated();
    Instant now = cluster.now();
    Instant requeueAt = operator.requeueAt();
    if (stated.ended()) {
      Integer ttl = policy.ttlSecondsAfterFinished();
      require(now, ttl == null ? null : stated.completion().plusSeconds(ttl), requeueAt, "TTL");
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
    PyTorchJobLook look = (PyTorchJobLook) operator.look(now);
    if (look.endingAfter != null) {
      Instant since = Instant.parse(look.endingAfter.since());
      require(now, since.plus(look.failureGrace), requeueAt, "end");
      return;
    }
    Long seconds = policy.activeDeadlineSeconds();
    if (seconds != null && stated.start() != null) {
      require(now, stated.start().plusSeconds(seconds), requeueAt, "deadline");
    }
    boolean mayBeANode = look.fates.keySet().stream().anyMatch(look::onLostNode);
    Duration grace = look.failureGrace;
    if (!grace.isZero() && !mayBeANode) {
      for (JobLook.Failure failure : look.failures(memory)) {
        boolean waits =
            look.scopeJob || Boolean.FALSE.equals(look.comesBack(failure.id(), failure.fate()));
        Instant seen = waits ? memory.seenFailed(failure.fate()) : null;
        if (seen != null) {
          Instant failed = failure.fate().until();
          Instant from = failed.isAfter(seen) ? failed : seen;
          require(now, from.plus(grace), requeueAt, "failure grace");
        }
      }
    }
    boolean olderPodsRun =
        cluster.pods.values().stream()
            .anyMatch(pod -> !pod.ended() && pod.attempt < stated.attempt());
    if (!olderPodsRun) {
      for (Stated.Entry entry : stated.replicas().values()) {
        require(now, entry.uid() == null ? entry.restartAt() : null, requeueAt, "restart");
      }
    }
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
