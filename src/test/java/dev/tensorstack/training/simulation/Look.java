package dev.tensorstack.training.simulation;

import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobStatus;
import dev.tensorstack.training.kind.trainingjob.v1beta1.ReplicaSpec;
import dev.tensorstack.training.kind.trainingjob.v1beta1.RestartPolicy;
import dev.tensorstack.training.kind.trainingjob.v1beta1.RestartScope;
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
final class Look {

  final View view;
  final PyTorchTrainingJobSpec spec;
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

  Look(Cluster cluster, View view, PyTorchTrainingJobStatus status) {
    this.view = view;
    spec = view.job().spec();
    failureGrace = cluster.failureGrace(spec);
    Stated stored = view.job().stated();
    after = status.equals(view.job().status()) ? stored : Stated.of(status);
    before = stored.with(after.replicas().keySet(), view.pods().keySet());
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

  /** It trained, and goes on. */
  boolean trains() {
    return trained() && !after.pausing() && !after.debugging();
  }

  /** The user wants something else of it than training. */
  boolean stopsTraining() {
    return spec.pauseOn() || spec.debugOn() || !trains();
  }

  int attempts() {
    return after.attempt() - before.attempt();
  }

  int backoffs() {
    return after.backoff() - before.backoff();
  }

  int disruptions() {
    return after.disruptions() - before.disruptions();
  }

  int restarts(String type) {
    return after.restartsOf(type) - before.restartsOf(type);
  }

  int restarts() {
    int all = 0;
    for (ReplicaSpec type : spec.replicaSpecs()) {
      all += restarts(type.type());
    }
    return all;
  }

  /** Nothing is counted. */
  boolean free() {
    return backoffs() == 0 && disruptions() == 0 && restarts() == 0;
  }

  boolean scopeJob() {
    return RestartScope.Job.name().equals(spec.runPolicy().restartScope());
  }

  boolean isMaster(ReplicaId id) {
    return view.job().isMaster(id);
  }

  ReplicaId masterId() {
    return new ReplicaId(spec.replicaSpecs().get(0).type(), 0);
  }

  Fate master() {
    return fates.get(masterId());
  }

  RestartPolicy policy(ReplicaId id) {
    for (ReplicaSpec type : spec.replicaSpecs()) {
      if (type.type().equals(id.type())) {
        return RestartPolicy.valueOf(type.restartPolicy());
      }
    }
    throw new IllegalStateException("no type of " + id);
  }

  /** By its policy alone; the budget is another matter. */
  boolean restarts(ReplicaId id, Fate fate) {
    return switch (policy(id)) {
      case Never -> false;
      case OnFailure, Always -> true;
      case ExitCode ->
          fate.kind() == Fate.Kind.DISRUPTION || Contract.RETRYABLE.contains(fate.exitCode());
    };
  }

  /** Done, and to be started again all the same. */
  boolean startsAgain(ReplicaId id, Fate fate) {
    return fate.kind() == Fate.Kind.DONE && policy(id) == RestartPolicy.Always && !isMaster(id);
  }

  /** A worker's agent that ended by itself closes the rendezvous of an elastic ring for good. */
  boolean closesTheRing(ReplicaId id, Fate fate) {
    return spec.elasticOn()
        && !isMaster(id)
        && fate.kind() == Fate.Kind.APPLICATION
        && fate.agentEnded()
        && fate.exitCode() != 137;
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

  /**
   * Whether a decision may wait: the others are given time to end, and what is on a lost node may
   * turn out to be what the others failed of, until its grace is over.
   */
  boolean waits(Memory memory) {
    for (ReplicaId id : fates.keySet()) {
      if (onLostNode(id)) {
        return true;
      }
    }
    if (failureGrace.isZero() || fates.values().stream().noneMatch(Fate::live)) {
      return false;
    }
    boolean allOver = !failures(memory).isEmpty();
    for (Failure failure : failures(memory)) {
      Instant seen = failure.fate().certain() ? memory.seenFailed(failure.fate()) : null;
      boolean over = seen != null && !now.isBefore(seen.plus(failureGrace).plus(Contract.CUT));
      // One that an elastic job may go on without, or that is replaced alone, ends no wait.
      boolean stays = staysFailed(failure.id(), failure.fate());
      boolean alone =
          !isMaster(failure.id())
              && (stays
                  ? spec.elasticOn()
                  : !scopeJob() && !closesTheRing(failure.id(), failure.fate()));
      if (over && !alone) {
        return false;
      }
      allOver &= over;
    }
    return !allOver;
  }

  /**
   * Whether an elastic job has enough nodes without those that stay failed; null when that depends
   * on what is not certain.
   */
  Boolean enoughRemain(Memory memory) {
    if (!spec.elasticOn()) {
      return false;
    }
    int certainly = 0;
    int perhaps = 0;
    for (Map.Entry<ReplicaId, Fate> one : fates.entrySet()) {
      Fate fate = one.getValue();
      if (memory.tolerated.contains(fate.uid())) {
        certainly++;
        perhaps++;
      } else if (fate.failed() && staysFailed(one.getKey(), fate)) {
        certainly += fate.certain() ? 1 : 0;
        perhaps++;
      }
    }
    int min = spec.elastic().minReplicas();
    int least = Math.min(before.replicas().size(), after.replicas().size());
    int most = Math.max(before.replicas().size(), after.replicas().size());
    return least - perhaps >= min ? Boolean.TRUE : most - certainly >= min ? null : Boolean.FALSE;
  }

  private boolean staysFailed(ReplicaId id, Fate fate) {
    return !restarts(id, fate)
        || (fate.kind() == Fate.Kind.APPLICATION
            && !replaced.contains(id)
            && after.backoff() >= spec.runPolicy().backoffLimit());
  }

  @Override
  public String toString() {
    return "fates " + fates + " before " + before + " after " + after;
  }
}
