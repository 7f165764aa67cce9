package dev.tensorstack.training.simulation;

import dev.tensorstack.training.observation.Ledger;
import dev.tensorstack.training.observation.ObservedPod;
import dev.tensorstack.training.observation.ReplicaId;
import dev.tensorstack.training.plan.Plan;
import dev.tensorstack.training.plan.PresentReplica;
import dev.tensorstack.training.policy.ReplicaLayout;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A job has as many replicas of each type as it wants, and what works is taken away last. */
final class Scaling {

  private Scaling() {}

  /** The replicas of a job at rest. */
  static List<ReplicaId> replicas(JobVersion job) {
    List<ReplicaId> replicas = new ArrayList<>();
    job.ledger()
        .replicas()
        .forEach(
            (type, indexes) -> indexes.forEach(index -> replicas.add(new ReplicaId(type, index))));
    return replicas;
  }

  static void check(Step step) {
    Plan plan = step.plan();
    if (plan.stage() == Plan.Stage.ENDED || plan.stage() == Plan.Stage.DELETING) {
      return;
    }
    Map<String, Integer> counts = new HashMap<>();
    Set<ReplicaId> wanted = new HashSet<>();
    for (PresentReplica replica : plan.replicas()) {
      counts.merge(replica.id().type(), 1, Integer::sum);
      wanted.add(replica.id());
    }
    Map<String, Integer> expected = new HashMap<>(ReplicaLayout.counts(step.view().job().spec()));
    expected.values().removeIf(count -> count == 0);
    if (!counts.equals(expected)) {
      leftAlone(step, wanted);
    }
    Invariants.require(
        wanted.contains(new ReplicaId(plan.replicas().get(0).id().type(), 0)),
        "the master stays",
        wanted);
    workersStay(step, wanted);
  }

  /** More than are wished only while the ring is formed that the last ones have left. */
  private static void leftAlone(Step step, Set<ReplicaId> wanted) {
    Ledger before = step.view().job().ledger();
    Instant changed = before.shrunkAt();
    for (ObservedPod pod : step.view().observation().pods()) {
      Instant joined = pod.live() ? pod.readySince() : null;
      changed = changed == null || (joined != null && joined.isAfter(changed)) ? joined : changed;
    }
    boolean leaving =
        step.view().observation().pods().stream()
            .anyMatch(pod -> pod.deleting() && !pod.ended() && !wanted.contains(pod.replica()));
    Invariants.require(
        leaving || (changed != null && step.view().now().isBefore(changed.plusSeconds(30))),
        "as many nodes as are wished",
        wanted);
    Set<ReplicaId> had = new HashSet<>();
    before
        .replicas()
        .forEach((type, indexes) -> indexes.forEach(index -> had.add(new ReplicaId(type, index))));
    Invariants.require(
        wanted.containsAll(had), "no node leaves while a ring is being formed", wanted);
  }

  /** Nothing that works goes while something that does not work stays. */
  private static void workersStay(Step step, Set<ReplicaId> wanted) {
    Ledger before = step.view().job().ledger();
    Set<ReplicaId> working = new HashSet<>();
    for (ObservedPod seen : step.view().observation().pods()) {
      if (seen.live() && seen.readySince() != null && seen.node() != null) {
        working.add(seen.replica());
      }
    }
    before
        .replicas()
        .forEach(
            (type, indexes) -> {
              boolean workerGoes = false;
              boolean idleStays = false;
              for (int index : indexes) {
                ReplicaId id = new ReplicaId(type, index);
                boolean master = index == 0 && id.equals(step.wanted().replicas().get(0));
                workerGoes |= working.contains(id) && !wanted.contains(id);
                idleStays |= !working.contains(id) && wanted.contains(id) && !master;
              }
              Invariants.require(
                  !(workerGoes && idleStays), "what works is taken away last", wanted);
            });
  }
}
