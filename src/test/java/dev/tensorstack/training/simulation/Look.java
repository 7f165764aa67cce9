package dev.tensorstack.training.simulation;

import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import dev.tensorstack.training.kind.trainingjob.v1beta1.ReplicaSpec;
import dev.tensorstack.training.kind.trainingjob.v1beta1.RestartPolicy;
import dev.tensorstack.training.kind.trainingjob.v1beta1.RestartScope;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** One look of the operator at a PyTorchTrainingJob. */
final class Look extends JobLook {

  final PyTorchTrainingJobSpec spec;

  private final List<Instant> counted;

  /**
   * What is so at a look.
   *
   * @param counted when the restarts were stored that the job had before; a list that grows
   */
  Look(Cluster cluster, View view, SimulatedJob reported, List<Instant> counted) {
    super(
        cluster,
        view,
        reported,
        TrainingJobResource.NAMES,
        TrainingJobResource.specOf(view.job()).torchrunOn());
    spec = TrainingJobResource.specOf(view.job());
    this.counted = List.copyOf(counted);
  }

  /** Those within the window, where there is one. */
  @Override
  int spentBefore() {
    Long window = spec.runPolicy().backoffWindowSeconds();
    return window == null
        ? super.spentBefore()
        : (int) counted.stream().filter(one -> one.plusSeconds(window).isAfter(now)).count();
  }

  /** It trained, and goes on. */
  boolean trains() {
    return trained() && !after.pausing() && !after.debugging();
  }

  /** The user wants something else of it than training. */
  boolean stopsTraining() {
    return spec.pauseOn() || spec.debugOn() || !trains();
  }

  @Override
  int restarts() {
    int all = 0;
    for (ReplicaSpec type : spec.replicaSpecs()) {
      all += restarts(type.type());
    }
    return all;
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

  @Override
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

  /** By its policy, or because the budget is used up. */
  boolean staysFailed(ReplicaId id, Fate fate) {
    return !restarts(id, fate)
        || (fate.kind() == Fate.Kind.APPLICATION
            && !replaced.contains(id)
            && spent() >= spec.runPolicy().backoffLimit());
  }
}
