package dev.tensorstack.training.simulation;

import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.core.plan.PlannedAction;
import java.time.Duration;
import java.time.Instant;

/**
 * A pod is deleted because of what is stored. Whatever the operator's caches say: the pods that the
 * stored status counts on stay, those that have ended keep their logs, and at the end of the job
 * the others are given time.
 */
final class Deletions {

  private Deletions() {}

  static void check(PlannedAction.DeletePod delete, Look look, Cluster cluster, Memory memory) {
    SimulatedPod pod = cluster.everCreated(delete.uid());
    if (pod.goneAt() != null) {
      return;
    }
    Stated stored = cluster.job().stated();
    PodVersion seen = look.view.pods().get(pod.name);
    boolean ended = seen != null && seen.pod().ended();
    if (stored.ended()) {
      atTheEnd(pod, ended, stored, look, cluster, memory);
    } else if (isPresent(pod, stored)) {
      Invariants.require(
          stored.pausing() && !ended,
          "the pods that the stored status counts on stay",
          pod,
          "stored",
          stored,
          look);
    } else if (ended) {
      kept(pod, stored, cluster, look);
    }
  }

  /** It is the pod that the status has in a replica's place, or is about to list there. */
  static boolean isPresent(SimulatedPod pod, Stated stored) {
    Stated.Entry entry = stored.replicas().get(pod.replica);
    return entry != null
        && entry.name().equals(pod.name)
        && (entry.uid() == null
            ? pod.attempt == stored.attempt() && pod.mode == stored.mode()
            : entry.uid().equals(pod.uid));
  }

  /** Of a job that goes on. */
  private static void kept(SimulatedPod pod, Stated stored, Cluster cluster, Look look) {
    Invariants.require(
        stored.failure() == null || !pod.name.equals(stored.failure().pod()),
        "the pod that lastFailure names is kept",
        pod,
        stored.failure());
    long others =
        look.view.pods().values().stream()
            .filter(
                other -> {
                  SimulatedPod real = cluster.everCreated(other.pod().uid());
                  return other.pod().ended() && real != pod && !isPresent(real, stored);
                })
            .count();
    Invariants.require(
        others >= Contract.KEPT_PODS, "ten replaced pods are kept for their logs", pod, others);
  }

  private static void atTheEnd(
      SimulatedPod pod, boolean ended, Stated stored, Look look, Cluster cluster, Memory memory) {
    String policy = look.spec.runPolicy().cleanUpPolicy();
    boolean deadline = stored.endReason().equals("DeadlineExceeded");
    if (!isPresent(pod, stored) && !ended) {
      return;
    }
    Invariants.require(
        ended ? policy.equals("All") : !policy.equals("None") || deadline,
        "the clean-up policy is kept",
        policy,
        pod);
    if (ended || deadline || !pod.running() || pod.deleting() || cluster.isLost(pod)) {
      return;
    }
    if (!stored.succeeded() && !look.spec.torchrunOn() && memory.endedAtOnce) {
      // Without torchrun it is the decision that waits, and nothing else does after it.
      return;
    }
    Instant from = stored.completion();
    Duration grace = look.spec.torchrunOn() ? Contract.AGENT_EXIT_GRACE : Contract.EXIT_GRACE;
    if (!stored.succeeded()) {
      from = failedAt(stored, cluster);
      grace = look.failureGrace;
    }
    Invariants.require(
        // The clock may have been put back by up to two seconds since.
        from == null || !look.now.plus(Contract.CUT).plusSeconds(2).isBefore(from.plus(grace)),
        stored.succeeded()
            ? "after success the others are given time to end"
            : "after a failure the others are given time to end",
        pod,
        "stored",
        stored,
        "at",
        look.now);
  }

  /** When the failure that ended the job happened; null when it has no moment. */
  private static Instant failedAt(Stated stored, Cluster cluster) {
    Stated.Entry entry =
        stored.replicas().values().stream()
            .filter(one -> one.name().equals(stored.failure().pod()))
            .findFirst()
            .orElse(null);
    SimulatedPod failed =
        entry == null || entry.uid() == null ? null : cluster.everCreated(entry.uid());
    return failed == null || failed.phase() != ObservedPod.Phase.FAILED
        ? null
        : failed.truth().since();
  }
}
