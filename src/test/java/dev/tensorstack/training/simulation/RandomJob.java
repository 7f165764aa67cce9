package dev.tensorstack.training.simulation;

import dev.tensorstack.training.kind.trainingjob.v1beta1.DebugMode;
import dev.tensorstack.training.kind.trainingjob.v1beta1.Elastic;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PauseMode;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import dev.tensorstack.training.kind.trainingjob.v1beta1.ReplicaSpec;
import dev.tensorstack.training.kind.trainingjob.v1beta1.RunMode;
import dev.tensorstack.training.kind.trainingjob.v1beta1.RunPolicy;
import dev.tensorstack.training.kind.trainingjob.v1beta1.TorchrunConfig;
import io.fabric8.kubernetes.api.model.IntOrString;
import java.util.ArrayList;
import java.util.List;

/** Jobs as users make them, with all defaults, and what users change in them later. */
final class RandomJob {

  private static final List<String> TYPES = List.of("master", "worker", "ps");
  private static final String[] POLICIES = {
    "Never", "OnFailure", "OnFailure", "ExitCode", "Always"
  };
  private static final String[] CLEAN_UP = {"All", "Unfinished", "Unfinished", "None"};

  private static final List<Integer> RETRYABLE = List.of(130, 137, 138, 143);

  private RandomJob() {}

  private static PyTorchTrainingJobSpec create(Luck luck) {
    boolean elastic = luck.chance(25);
    int types = 1 + luck.below(luck.chance(60) ? 1 : 3);
    List<ReplicaSpec> specs = new ArrayList<>();
    int sum = 0;
    for (int i = 0; i < types; i++) {
      int replicas = i == 0 ? 1 + luck.below(types == 1 ? 5 : 2) : luck.below(4);
      Integer weight = elastic ? (i == 0 ? 1 : luck.below(3)) : null;
      sum += replicas;
      specs.add(new ReplicaSpec(TYPES.get(i), replicas, weight, luck.of(POLICIES), null));
    }
    return new PyTorchTrainingJobSpec(
        specs,
        elastic || luck.chance(30)
            ? new TorchrunConfig(true, null, 0, new IntOrString(1), "c10d", null, null)
            : null,
        elastic ? elastic(luck, specs, sum) : null,
        luck.chance(10) ? mode(luck.chance(50), true) : null,
        policy(luck, elastic || sum == 1),
        null,
        null,
        null);
  }

  /**
   * A job.
   *
   * @param isLong whether it is to outlive many pods
   */
  static TrainingJobResource create(Luck luck, boolean isLong) {
    PyTorchTrainingJobSpec spec = create(luck);
    return new TrainingJobResource(isLong ? tireless(spec) : spec, null);
  }

  /** The same job, which starts everything again and has a budget that is never used up. */
  private static PyTorchTrainingJobSpec tireless(PyTorchTrainingJobSpec spec) {
    List<ReplicaSpec> types =
        spec.replicaSpecs().stream()
            .map(
                type ->
                    new ReplicaSpec(
                        type.type(), type.replicas(), type.scalingWeight(), "Always", null))
            .toList();
    return new PyTorchTrainingJobSpec(
        types,
        spec.torchrunConfig(),
        spec.elastic(),
        null,
        with(spec.runPolicy(), null, 1_000),
        null,
        null,
        null);
  }

  private static Elastic elastic(Luck luck, List<ReplicaSpec> specs, int sum) {
    int least = least(specs);
    int min = least + luck.below(sum - least + 1);
    int max = sum + luck.below(3);
    return new Elastic(true, null, min, max, min + luck.below(max - min + 1), null);
  }

  /** The fixed nodes, and one for the master (rule elastic-fixed-fits). */
  private static int least(List<ReplicaSpec> specs) {
    int fixed = 0;
    for (ReplicaSpec spec : specs) {
      fixed += spec.scalingWeight() == 0 ? spec.replicas() : 0;
    }
    return specs.get(0).scalingWeight() == 0 ? fixed : fixed + 1;
  }

  /** Other shares; those that admission refuses are not asked for. */
  private static List<ReplicaSpec> weigh(PyTorchTrainingJobSpec old, Luck luck) {
    List<ReplicaSpec> specs = new ArrayList<>();
    for (int i = 0; i < old.replicaSpecs().size(); i++) {
      ReplicaSpec spec = old.replicaSpecs().get(i);
      int weight = i == 0 ? 1 + luck.below(2) : luck.below(4);
      specs.add(new ReplicaSpec(spec.type(), spec.replicas(), weight, spec.restartPolicy(), null));
    }
    return least(specs) > old.elastic().minReplicas() ? old.replicaSpecs() : specs;
  }

  private static RunMode mode(boolean debug, boolean on) {
    return debug
        ? new RunMode(new DebugMode(on, null, null), null)
        : new RunMode(null, new PauseMode(on, null, null));
  }

  private static RunPolicy policy(Luck luck, boolean replicaScope) {
    boolean byDefault = luck.chance(70);
    String scope = byDefault == replicaScope ? "Replica" : "Job";
    return new RunPolicy(
        luck.chance(20) ? (long) (1 + luck.below(300)) : null,
        luck.below(5),
        luck.chance(25) ? (long) (1 + luck.below(400)) : null,
        luck.of(CLEAN_UP),
        luck.chance(20) ? luck.below(60) : null,
        scope,
        RETRYABLE,
        null);
  }

  /** An edit that admission allows. */
  static PyTorchTrainingJobSpec edit(PyTorchTrainingJobSpec old, Luck luck) {
    RunPolicy policy = old.runPolicy();
    RunMode mode = old.runMode();
    Elastic elastic = old.elastic();
    List<ReplicaSpec> types = old.replicaSpecs();
    switch (luck.below(elastic == null ? 7 : 12)) {
      case 0, 1 -> mode = mode(false, mode == null || mode.pause() == null || !mode.pause().on());
      case 2 -> mode = mode(true, mode == null || mode.debug() == null || !mode.debug().on());
      case 3 -> policy = with(policy, policy.activeDeadlineSeconds(), luck.below(5));
      case 4 ->
          policy =
              with(
                  policy,
                  luck.chance(50) ? null : Long.valueOf(1 + luck.below(600)),
                  policy.backoffLimit());
      case 5 ->
          policy =
              new RunPolicy(
                  policy.activeDeadlineSeconds(),
                  policy.backoffLimit(),
                  policy.backoffWindowSeconds(),
                  luck.of(CLEAN_UP),
                  luck.chance(70) ? null : Integer.valueOf(luck.below(60)),
                  policy.restartScope(),
                  RETRYABLE,
                  policy.progress());
      default -> {
        if (elastic != null && luck.chance(30)) {
          types = weigh(old, luck);
        } else if (elastic != null) {
          int min = elastic.minReplicas();
          int max = elastic.maxReplicas();
          elastic = new Elastic(true, null, min, max, min + luck.below(max - min + 1), null);
        }
      }
    }
    return new PyTorchTrainingJobSpec(
        types, old.torchrunConfig(), elastic, mode, policy, null, null, null);
  }

  private static RunPolicy with(RunPolicy policy, Long deadline, Integer limit) {
    return new RunPolicy(
        deadline,
        limit,
        policy.backoffWindowSeconds(),
        policy.cleanUpPolicy(),
        policy.ttlSecondsAfterFinished(),
        policy.restartScope(),
        RETRYABLE,
        policy.progress());
  }
}
