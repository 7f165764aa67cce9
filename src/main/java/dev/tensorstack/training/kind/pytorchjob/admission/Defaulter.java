package dev.tensorstack.training.kind.pytorchjob.admission;

import static java.util.Objects.requireNonNullElse;

import dev.tensorstack.training.kind.pytorchjob.spec.ProcessesPerNode;
import dev.tensorstack.training.kind.pytorchjob.spec.TrainingContainer;
import dev.tensorstack.training.kind.pytorchjob.v1.CleanPodPolicy;
import dev.tensorstack.training.kind.pytorchjob.v1.ElasticPolicy;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJobSpec;
import dev.tensorstack.training.kind.pytorchjob.v1.RdzvBackend;
import dev.tensorstack.training.kind.pytorchjob.v1.ReplicaSpec;
import dev.tensorstack.training.kind.pytorchjob.v1.ReplicaType;
import dev.tensorstack.training.kind.pytorchjob.v1.RestartPolicy;
import dev.tensorstack.training.kind.pytorchjob.v1.RunPolicy;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Gives a spec the defaults that Kubeflow's operator gives it. They are never stored, as there: who
 * reads a job completes it. A second run changes nothing, and what cannot be defaulted (a missing
 * template, an unknown word) is left for the rules to report. The host and the port of a rendezvous
 * follow from the job's name and its pods, and are left out here.
 */
public final class Defaulter {

  private Defaulter() {}

  /**
   * Completes a spec.
   *
   * @param spec a spec as the user wrote it, or null
   * @return a new spec with all defaults; for null an empty one, which the rules refuse
   */
  public static PyTorchJobSpec complete(@Nullable PyTorchJobSpec spec) {
    if (spec == null) {
      return new PyTorchJobSpec(null, null, null, null);
    }
    Map<String, ReplicaSpec> types = types(spec.pytorchReplicaSpecs());
    ElasticPolicy elastic = spec.elasticPolicy();
    return new PyTorchJobSpec(
        types,
        spec.nprocPerNode() == null && (elastic == null || elastic.nProcPerNode() == null)
            ? ProcessesPerNode.DEFAULT
            : spec.nprocPerNode(),
        elastic == null ? null : elastic(elastic, workers(types)),
        runPolicy(spec.runPolicy()));
  }

  /** A type that is null is one of which nothing is given: the rules say what it lacks. */
  private static @Nullable Map<String, ReplicaSpec> types(
      @Nullable Map<String, ReplicaSpec> types) {
    if (types == null) {
      return null;
    }
    Map<String, ReplicaSpec> completed = new LinkedHashMap<>();
    types.forEach(
        (name, given) -> {
          ReplicaSpec type = requireNonNullElse(given, new ReplicaSpec(null, null, null));
          completed.put(
              name,
              new ReplicaSpec(
                  requireNonNullElse(type.replicas(), 1),
                  type.restartPolicy() == null || type.restartPolicy().isEmpty()
                      ? RestartPolicy.OnFailure.name()
                      : type.restartPolicy(),
                  TrainingContainer.withPort(type.template())));
        });
    return completed;
  }

  private static @Nullable Integer workers(@Nullable Map<String, ReplicaSpec> types) {
    ReplicaSpec workers = types == null ? null : types.get(ReplicaType.Worker.name());
    return workers == null ? null : workers.replicas();
  }

  private static ElasticPolicy elastic(ElasticPolicy given, @Nullable Integer workers) {
    Integer min = given.minReplicas();
    Integer max = given.maxReplicas();
    if (min == null && max == null) {
      min = workers;
      max = workers;
    }
    return new ElasticPolicy(
        min == null ? max : min,
        max == null ? min : max,
        requireNonNullElse(given.rdzvBackend(), RdzvBackend.C10D.word()),
        given.rdzvPort(),
        given.rdzvHost(),
        given.rdzvId(),
        given.rdzvConf(),
        given.standalone(),
        given.nProcPerNode(),
        given.maxRestarts(),
        given.metrics());
  }

  private static RunPolicy runPolicy(@Nullable RunPolicy policy) {
    RunPolicy given =
        policy == null ? new RunPolicy(null, null, null, null, null, null, null) : policy;
    return new RunPolicy(
        requireNonNullElse(given.cleanPodPolicy(), CleanPodPolicy.None.name()),
        given.ttlSecondsAfterFinished(),
        given.activeDeadlineSeconds(),
        given.backoffLimit(),
        requireNonNullElse(given.suspend(), false),
        given.managedBy(),
        given.schedulingPolicy());
  }
}
