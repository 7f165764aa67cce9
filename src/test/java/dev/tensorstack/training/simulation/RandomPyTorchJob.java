package dev.tensorstack.training.simulation;

import dev.tensorstack.training.kind.pytorchjob.v1.ElasticPolicy;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJobSpec;
import dev.tensorstack.training.kind.pytorchjob.v1.ReplicaSpec;
import dev.tensorstack.training.kind.pytorchjob.v1.ReplicaType;
import dev.tensorstack.training.kind.pytorchjob.v1.RunPolicy;
import java.util.LinkedHashMap;
import java.util.Map;

/** PyTorchJobs as users make them, with few of the defaults, and what users change in them. */
final class RandomPyTorchJob {

  private static final String[] POLICIES = {
    "Never", null, "OnFailure", "ExitCode", "ExitCode", "Always"
  };
  private static final String[] CLEAN_UP = {null, "None", "Running", "All"};
  private static final String[] TIRELESS = {"OnFailure", "Always"};
  private static final int MOST_WORKERS = 5;

  private RandomPyTorchJob() {}

  /**
   * A job.
   *
   * @param isLong whether it is to outlive many pods: it starts everything again, without a limit
   */
  static PyTorchJobResource create(Luck luck, boolean isLong) {
    boolean hasMaster = luck.chance(65);
    int workers = hasMaster ? luck.below(4) : 1 + luck.below(4);
    Map<String, ReplicaSpec> types = new LinkedHashMap<>();
    if (hasMaster) {
      types.put(ReplicaType.Master.name(), replicas(luck, null, isLong));
    }
    if (workers > 0) {
      types.put(
          ReplicaType.Worker.name(),
          replicas(luck, workers == 1 && luck.chance(50) ? null : workers, isLong));
    }
    ElasticPolicy elastic = workers > 0 && luck.chance(25) ? elastic(luck, workers) : null;
    RunPolicy policy = isLong || luck.chance(20) ? null : policy(luck);
    return new PyTorchJobResource(
        new PyTorchJobSpec(types, null, elastic, policy), !isLong && luck.chance(20), null);
  }

  private static ReplicaSpec replicas(Luck luck, Integer count, boolean isLong) {
    return new ReplicaSpec(count, luck.of(isLong ? TIRELESS : POLICIES), null);
  }

  private static ElasticPolicy elastic(Luck luck, int workers) {
    int min = 1 + luck.below(workers);
    int max = workers + luck.below(3);
    return new ElasticPolicy(min, max, null, null, null, null, null, null, null, null, null);
  }

  private static RunPolicy policy(Luck luck) {
    return new RunPolicy(
        luck.of(CLEAN_UP),
        luck.chance(20) ? luck.below(60) : null,
        luck.chance(20) ? Long.valueOf(1 + luck.below(300)) : null,
        luck.chance(60) ? Integer.valueOf(luck.below(5)) : null,
        luck.chance(10) ? Boolean.TRUE : null,
        null,
        null);
  }

  /** An edit that admission allows. */
  static PyTorchJobSpec edit(PyTorchJobSpec old, Luck luck) {
    RunPolicy policy =
        old.runPolicy() == null
            ? new RunPolicy(null, null, null, null, null, null, null)
            : old.runPolicy();
    Map<String, ReplicaSpec> types = old.pytorchReplicaSpecs();
    ElasticPolicy elastic = old.elasticPolicy();
    String cleanUp = policy.cleanPodPolicy();
    Integer ttl = policy.ttlSecondsAfterFinished();
    Long deadline = policy.activeDeadlineSeconds();
    Integer limit = policy.backoffLimit();
    boolean suspend = old.suspended();
    switch (luck.below(8)) {
      case 0, 1, 2 -> suspend = !suspend;
      case 3 -> limit = luck.chance(20) ? null : Integer.valueOf(luck.below(5));
      case 4 -> deadline = luck.chance(50) ? null : Long.valueOf(1 + luck.below(600));
      case 5 -> {
        cleanUp = luck.of(CLEAN_UP);
        ttl = luck.chance(70) ? null : Integer.valueOf(luck.below(60));
      }
      default -> types = scaled(old, luck);
    }
    if ((suspend || old.suspended()) && luck.chance(40)) {
      types = otherPolicies(types, luck);
      if (elastic != null && types.get("Worker").replicas() != null) {
        elastic = elastic(luck, types.get("Worker").replicas());
      }
    }
    return new PyTorchJobSpec(
        types, null, elastic, new RunPolicy(cleanUp, ttl, deadline, limit, suspend, null, null));
  }

  private static Map<String, ReplicaSpec> scaled(PyTorchJobSpec old, Luck luck) {
    ReplicaSpec workers = old.replicas(ReplicaType.Worker);
    if (workers == null) {
      return old.pytorchReplicaSpecs();
    }
    ElasticPolicy elastic = old.elasticPolicy();
    int min = elastic == null ? 1 : elastic.minReplicas();
    int max = elastic == null ? MOST_WORKERS : elastic.maxReplicas();
    Map<String, ReplicaSpec> types = new LinkedHashMap<>(old.pytorchReplicaSpecs());
    types.put(
        ReplicaType.Worker.name(),
        new ReplicaSpec(min + luck.below(max - min + 1), workers.restartPolicy(), null));
    return types;
  }

  /** While a job is suspended its templates and what goes with them may change. */
  private static Map<String, ReplicaSpec> otherPolicies(Map<String, ReplicaSpec> old, Luck luck) {
    Map<String, ReplicaSpec> types = new LinkedHashMap<>();
    old.forEach(
        (type, spec) -> types.put(type, new ReplicaSpec(spec.replicas(), luck.of(POLICIES), null)));
    return types;
  }
}
