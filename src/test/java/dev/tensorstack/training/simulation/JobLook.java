package dev.tensorstack.training.simulation;

import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.naming.JobNaming;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * One look of the operator at a job: what the stored status said, what the recorded history says of
 * the pods that it knew of, and the status that it wants to store.
 */
abstract class JobLook {

  final View view;
  final Stated before;
  final Stated after;
  final Instant now;

  /** How long the other pods may take after one has failed. */
  final Duration failureGrace;

  /** Of all replicas that the stored status has. */
  final Map<ReplicaId, Fate> fates = new LinkedHashMap<>();

  /** Those whose pod gives way to another. */
  final Set<ReplicaId> replaced = new HashSet<>();

  private List<Failure> failed;

  /** A replica whose pod failed. */
  record Failure(ReplicaId id, Fate fate) {}

  /**
   * What is so at a look.
   *
   * @param reported the job with the status that the operator wants to store
   * @param names the names of the job's pods
   * @param torchrun whether torchrun's agents run in them
   */
  JobLook(Cluster cluster, View view, SimulatedJob reported, JobNaming names, boolean torchrun) {
    this.view = view;
    failureGrace = cluster.failureGrace(torchrun);
    Stated stored = view.job().stated();
    after = reported.saysTheSame(view.job().resource()) ? stored : reported.stated();
    before = stored.with(after.replicas().keySet(), view.pods().keySet(), names);
    now = view.now();
    before.replicas().forEach((id, entry) -> fates.put(id, Fate.of(entry, before, view, cluster)));
    if (after != before) {
      before
          .replicas()
          .forEach(
              (id, entry) -> {
                Stated.Entry next = after.replicas().get(id);
                if (next != null && next.earlier() != entry.earlier()) {
                  replaced.add(id);
                }
              });
    }
  }

  /** Done, and to be started again all the same. */
  abstract boolean startsAgain(ReplicaId id, Fate fate);

  /** The restarts of all types together. */
  abstract int restarts();

  /** Nothing was stored that it does not know of. */
  boolean isCurrent(Cluster cluster) {
    return view.job().stated() == cluster.job().stated();
  }

  Stated.Entry entry(ReplicaId id) {
    return before.replicas().get(id);
  }

  /** The job trained so far, and what its pods come to counts. */
  boolean trained() {
    return !before.ended() && !before.pausing() && !before.debugging();
  }

  int attempts() {
    return after.attempt() - before.attempt();
  }

  int backoffs() {
    return after.backoff() - before.backoff();
  }

  /** How many counted restarts count against the limit, those of this look apart. */
  int spentBefore() {
    return before.backoff();
  }

  /** How many counted restarts count against the limit. */
  final int spent() {
    return spentBefore() + backoffs();
  }

  int disruptions() {
    return after.disruptions() - before.disruptions();
  }

  int restarts(String type) {
    return after.restartsOf(type) - before.restartsOf(type);
  }

  /** Nothing is counted. */
  boolean free() {
    return backoffs() == 0 && disruptions() == 0 && restarts() == 0;
  }

  /** Its pod is on a node that is lost, and its grace runs. */
  boolean onLostNode(ReplicaId id) {
    PodVersion seen = view.pods().get(entry(id).name());
    return seen != null
        && !seen.pod().ended()
        && fates.get(id).live()
        && seen.pod().node() != null
        && view.lostNodes().containsKey(seen.pod().node());
  }

  /** Its pod is on a node that will not come back as it was. */
  boolean outOfService(ReplicaId id) {
    PodVersion seen = view.pods().get(entry(id).name());
    return seen != null
        && seen.pod().node() != null
        && Instant.EPOCH.equals(view.lostNodes().get(seen.pod().node()));
  }

  /** The name of an invariant; what nodes that are out of service break has its own. */
  String or(String invariant) {
    return fates.keySet().stream().anyMatch(this::outOfService)
        ? "a node that is out of service holds up no decision"
        : invariant;
  }

  /** What has failed and was not decided on before. */
  List<Failure> failures(Memory memory) {
    if (failed == null) {
      failed = new ArrayList<>();
      fates.forEach(
          (id, fate) -> {
            if (fate.failed() && !memory.tolerated.contains(fate.uid())) {
              failed.add(new Failure(id, fate));
            }
          });
    }
    return failed;
  }

  @Override
  public String toString() {
    return "fates " + fates + " before " + before + " after " + after;
  }
}
