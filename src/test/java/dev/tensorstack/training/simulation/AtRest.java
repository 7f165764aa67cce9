package dev.tensorstack.training.simulation;

import dev.tensorstack.training.observation.Ledger;
import dev.tensorstack.training.observation.ReplicaId;
import dev.tensorstack.training.observation.RunModeKind;
import dev.tensorstack.training.plan.Plan;
import dev.tensorstack.training.policy.ReplicaLayout;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What must be true of a job once nothing happens any more. */
final class AtRest {

  private static final int MOST_KEPT = 10;

  private final Cluster cluster;

  AtRest(Cluster cluster) {
    this.cluster = cluster;
  }

  void check(Operator operator) {
    JobVersion job = cluster.job();
    if (!job.exists()) {
      Invariants.require(
          cluster.pods.values().stream().allMatch(cluster::isLost),
          "a job takes its pods along",
          cluster.pods.values());
      return;
    }
    nothingLeftToDo(operator, job);
    String phase = job.status().phase();
    Ledger ledger = job.ledger();
    if (ledger.outcome() != null) {
      Invariants.require(
          phase.equals(ledger.outcome().succeeded() ? "Succeeded" : "Failed"),
          "the phase is final",
          phase);
      ended(job);
    } else if (job.pauseWanted()) {
      Invariants.require(phase.equals("Paused"), "a paused job is paused", phase);
      cluster
          .pods
          .values()
          .forEach(
              pod -> Invariants.require(isGone(pod), "a paused job has no pods that run", pod));
    } else {
      active(job, phase);
    }
    kept(job);
  }

  private void nothingLeftToDo(Operator operator, JobVersion job) {
    for (Duration later : List.of(Duration.ZERO, Duration.ofDays(1))) {
      Instant then = cluster.now().plus(later);
      Plan plan = operator.plan(then);
      Invariants.require(plan.actions().isEmpty(), "a job at rest has nothing left to do", plan);
      Invariants.require(
          operator.report(then).equals(job.status()),
          "no status is written when nothing changed",
          job.status(),
          "and",
          then,
          "later",
          operator.report(then));
    }
  }

  /** It does not run: it has ended, or is on a lost node and has been told to stop. */
  private boolean isGone(SimulatedPod pod) {
    return pod.ended() || (pod.deleting() && cluster.isLost(pod));
  }

  private void ended(JobVersion job) {
    String policy = job.spec().runPolicy().cleanUpPolicy();
    boolean deadline = "DeadlineExceeded".equals(job.ledger().outcome().reason());
    for (SimulatedPod pod : cluster.pods.values()) {
      boolean gone = isGone(pod);
      boolean right =
          switch (policy) {
            case "All" -> pod.deleting();
            case "None" -> gone || !deadline;
            default -> gone;
          };
      Invariants.require(right, "the clean-up policy is kept", policy, pod);
    }
  }

  private void active(JobVersion job, String phase) {
    List<ReplicaId> replicas = ReplicaLayout.of(job.spec()).replicas();
    Set<ReplicaId> missing = new HashSet<>(replicas);
    boolean debugEnded = false;
    int failed = 0;
    for (SimulatedPod pod : presentPods(job)) {
      Invariants.require(replicas.contains(pod.replica), "what the job does not want goes", pod);
      missing.remove(pod.replica);
      boolean debug = job.ledger().mode() == RunModeKind.DEBUG;
      debugEnded |= debug && pod.ended();
      failed += !debug && pod.truth().kind() != Truth.Kind.DONE && pod.ended() ? 1 : 0;
      Invariants.require(pod.ended() || pod.running(), "every pod runs in the end", pod);
    }
    for (SimulatedPod pod : cluster.pods.values()) {
      Invariants.require(
          isGone(pod) || replicas.contains(pod.replica), "what the job does not want goes", pod);
    }
    // An elastic job goes on without those that its restart policy does not bring back.
    for (ReplicaId id : List.copyOf(missing)) {
      Ledger.Slot slot = job.ledger().slots().get(id);
      if (slot != null && slot.uid() != null) {
        missing.remove(id);
        failed++;
      }
    }
    Invariants.require(missing.isEmpty(), "every replica has a pod", missing);
    Invariants.require(
        failed == 0
            || (job.elastic() && replicas.size() - failed >= job.spec().elastic().minReplicas()),
        "only an elastic job goes on with failed pods",
        cluster.pods);
    Invariants.require(
        debugEnded || phase.equals("Running"), "a job all of whose pods run is Running", phase);
  }

  private List<SimulatedPod> presentPods(JobVersion job) {
    List<SimulatedPod> present = new ArrayList<>();
    job.ledger()
        .slots()
        .forEach(
            (id, slot) -> {
              SimulatedPod pod =
                  cluster.pods.get(JobVersion.NAMES.pod(id.type(), id.index(), slot.earlierPods()));
              if (pod != null && pod.uid.equals(slot.uid())) {
                present.add(pod);
              }
            });
    return present;
  }

  private void kept(JobVersion job) {
    List<SimulatedPod> present = presentPods(job);
    long kept =
        cluster.pods.values().stream()
            .filter(pod -> pod.ended() && !present.contains(pod) && !pod.deleting())
            .count();
    Invariants.require(kept <= MOST_KEPT, "at most ten replaced pods are kept", kept);
  }
}
