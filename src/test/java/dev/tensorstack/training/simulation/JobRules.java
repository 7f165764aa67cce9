package dev.tensorstack.training.simulation;

import dev.tensorstack.training.api.v1beta1.PyTorchTrainingJobSpec;
import dev.tensorstack.training.api.v1beta1.ReplicaSpec;
import dev.tensorstack.training.observation.ReplicaId;
import java.util.List;

/** What a spec says about failures, in the words of docs/concepts.md. */
record JobRules(PyTorchTrainingJobSpec spec, List<ReplicaId> replicas) {

  private static final List<Integer> RETRYABLE = List.of(130, 137, 138, 143);

  boolean isMaster(ReplicaId id) {
    return id.equals(replicas.get(0));
  }

  boolean isScopeJob() {
    return "Job".equals(spec.runPolicy().restartScope());
  }

  boolean startsAllAnew(TrueFailure failure) {
    return isScopeJob() || isMaster(failure.replica()) || closesRendezvous(failure);
  }

  /** torchrun's agent has ended by itself: its replacement would be turned away. */
  private boolean closesRendezvous(TrueFailure failure) {
    return spec.elastic() != null
        && spec.elastic().on()
        && spec.torchrunConfig() != null
        && spec.torchrunConfig().on()
        && failure.application()
        && failure.trained()
        && failure.exitCode() != null
        && failure.exitCode() != 137;
  }

  int budget() {
    return spec.runPolicy().backoffLimit();
  }

  boolean isRestartable(TrueFailure failure) {
    return switch (policy(failure.replica())) {
      case "Always", "OnFailure" -> true;
      case "ExitCode" -> !failure.application() || RETRYABLE.contains(failure.exitCode());
      default -> false;
    };
  }

  /** Whether a replica that is done is started again. */
  boolean repeats(ReplicaId id) {
    return !isMaster(id) && "Always".equals(policy(id));
  }

  /** Whether the job goes on without a worker, the {@code lost}-th of this moment. */
  boolean survives(ReplicaId id, int lost) {
    return spec.elastic() != null
        && spec.elastic().on()
        && !isMaster(id)
        && replicas.size() - lost >= spec.elastic().minReplicas();
  }

  private String policy(ReplicaId id) {
    for (ReplicaSpec type : spec.replicaSpecs()) {
      if (id.type().equals(type.type())) {
        return type.restartPolicy();
      }
    }
    throw new IllegalArgumentException(id.toString());
  }
}
