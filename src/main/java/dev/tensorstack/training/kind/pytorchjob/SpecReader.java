package dev.tensorstack.training.kind.pytorchjob;

import static java.util.Objects.requireNonNullElse;

import dev.tensorstack.training.core.gang.CoschedulingGang;
import dev.tensorstack.training.core.gang.PlainScheduling;
import dev.tensorstack.training.core.gang.PolicyGang;
import dev.tensorstack.training.core.gang.VolcanoGang;
import dev.tensorstack.training.core.model.Autoscaling;
import dev.tensorstack.training.core.model.CleanUpPolicy;
import dev.tensorstack.training.core.model.DebugStart;
import dev.tensorstack.training.core.model.GangScheduler;
import dev.tensorstack.training.core.model.JobSpec;
import dev.tensorstack.training.core.model.JobTraits;
import dev.tensorstack.training.core.model.RestartPolicy;
import dev.tensorstack.training.core.model.RestartScope;
import dev.tensorstack.training.core.model.ResumeStart;
import dev.tensorstack.training.core.model.RunPolicy;
import dev.tensorstack.training.core.model.ServiceLayout;
import dev.tensorstack.training.core.model.SuccessCriterion;
import dev.tensorstack.training.core.queue.KueueQueue;
import dev.tensorstack.training.kind.pytorchjob.spec.ProgressAnnotation;
import dev.tensorstack.training.kind.pytorchjob.spec.TrainingContainer;
import dev.tensorstack.training.kind.pytorchjob.v1.CleanPodPolicy;
import dev.tensorstack.training.kind.pytorchjob.v1.ElasticPolicy;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJobSpec;
import dev.tensorstack.training.kind.pytorchjob.v1.ReplicaSpec;
import dev.tensorstack.training.kind.pytorchjob.v1.ReplicaType;
import dev.tensorstack.training.kind.pytorchjob.v1.SchedulingPolicy;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Reads a spec into the engine's model. The number of workers may change at any time, elastic or
 * not, and the highest index goes: to the engine no PyTorchJob is elastic, torchrun's bounds stand
 * in the environment of the pods.
 */
final class SpecReader {

  /** Starts all pods anew with one attempt when any fails. */
  static final String RESTART_SCOPE = "training.kubeflow.org/restart-scope";

  /** The exit codes with which {@code ExitCode} replaces a pod. */
  private static final Set<Integer> RETRYABLE =
      IntStream.rangeClosed(128, 255).boxed().collect(Collectors.toUnmodifiableSet());

  private static final String DEFAULT_QUEUE = "default";

  /** What kubectl remembers of the job is not the PodGroup's. */
  private static final String LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

  private SpecReader() {}

  /**
   * Reads a spec.
   *
   * @param spec the spec with all defaults
   * @param labels the job's labels, which name its Kueue queue
   * @param annotations the job's annotations
   * @param settings what an administrator has set
   * @return the model
   */
  static JobSpec read(
      PyTorchJobSpec spec,
      Map<String, String> labels,
      Map<String, String> annotations,
      PyTorchJobSettings settings) {
    List<dev.tensorstack.training.core.model.ReplicaType> types = new ArrayList<>();
    for (ReplicaType type : ReplicaType.values()) {
      ReplicaSpec replicas = spec.replicas(type);
      if (replicas != null) {
        types.add(type(type, replicas));
      }
    }
    return new JobSpec(
        types,
        null,
        null,
        autoscaling(spec.elasticPolicy()),
        false,
        spec.suspended(),
        runPolicy(spec.runPolicy(), annotations),
        scheduler(
            settings.gangScheduler(),
            spec.runPolicy() == null ? null : spec.runPolicy().schedulingPolicy(),
            annotations),
        KueueQueue.of(labels, true),
        null,
        new JobTraits(
            success(spec),
            false,
            true,
            ServiceLayout.ONE_PER_REPLICA,
            true,
            true,
            TrainingContainer.NAME,
            true,
            "runPolicy.suspend",
            new PyTorchJobPods(
                spec, settings.masterWait(), scope(annotations) == RestartScope.JOB)));
  }

  private static @Nullable Autoscaling autoscaling(@Nullable ElasticPolicy elastic) {
    return elastic == null
            || elastic.metrics() == null
            || elastic.metrics().isEmpty()
            || elastic.minReplicas() == null
            || elastic.maxReplicas() == null
        ? null
        : new Autoscaling(elastic.minReplicas(), elastic.maxReplicas(), elastic.metrics());
  }

  private static GangScheduler scheduler(
      @Nullable String name, @Nullable SchedulingPolicy given, Map<String, String> annotations) {
    if (name == null) {
      return new PlainScheduling();
    }
    SchedulingPolicy policy =
        requireNonNullElse(given, new SchedulingPolicy(null, null, null, null, null));
    Map<String, String> kept = new TreeMap<>(annotations);
    kept.remove(LAST_APPLIED);
    String queue = requireNonNullElse(policy.queue(), "");
    return new PolicyGang(
        name.equals(VolcanoGang.SCHEDULER_NAME)
            ? new VolcanoGang(queue.isEmpty() ? DEFAULT_QUEUE : queue, policy.priorityClass())
            : new CoschedulingGang(name, policy.scheduleTimeoutSeconds()),
        policy.minAvailable(),
        policy.minResources(),
        kept);
  }

  private static SuccessCriterion success(PyTorchJobSpec spec) {
    if (spec.replicas(ReplicaType.Master) != null) {
      return SuccessCriterion.MASTER;
    }
    return spec.elasticPolicy() == null
        ? SuccessCriterion.ALL_REPLICAS
        : SuccessCriterion.ANY_REPLICA;
  }

  private static dev.tensorstack.training.core.model.ReplicaType type(
      ReplicaType type, ReplicaSpec replicas) {
    return new dev.tensorstack.training.core.model.ReplicaType(
        type.label(),
        requireNonNullElse(replicas.replicas(), 1),
        1,
        restartPolicy(requireNonNullElse(replicas.restartPolicy(), "")),
        requireNonNullElse(replicas.template(), new PodTemplateSpec()),
        new DebugStart(DebugStart.WAITING_COMMAND, false),
        new ResumeStart(null, null, false));
  }

  /** Under {@code Always} the kubelet starts again what has ended well, too; no pod succeeds. */
  private static RestartPolicy restartPolicy(String word) {
    return switch (word) {
      case "Never" -> RestartPolicy.NEVER_AGAIN;
      case "ExitCode" -> RestartPolicy.EXIT_CODE_IF_ANY;
      default -> RestartPolicy.ON_FAILURE;
    };
  }

  private static RunPolicy runPolicy(
      dev.tensorstack.training.kind.pytorchjob.v1.@Nullable RunPolicy policy,
      Map<String, String> annotations) {
    RestartScope scope = scope(annotations);
    return policy == null
        ? new RunPolicy(
            Integer.MAX_VALUE,
            null,
            scope,
            RETRYABLE,
            CleanUpPolicy.NONE,
            null,
            null,
            ProgressAnnotation.read(annotations))
        : new RunPolicy(
            requireNonNullElse(policy.backoffLimit(), Integer.MAX_VALUE),
            null,
            scope,
            RETRYABLE,
            cleanUp(policy.cleanPodPolicy()),
            policy.activeDeadlineSeconds(),
            policy.ttlSecondsAfterFinished(),
            ProgressAnnotation.read(annotations));
  }

  private static RestartScope scope(Map<String, String> annotations) {
    return "Job".equals(annotations.get(RESTART_SCOPE)) ? RestartScope.JOB : RestartScope.REPLICA;
  }

  private static CleanUpPolicy cleanUp(@Nullable String word) {
    if (CleanPodPolicy.All.name().equals(word)) {
      return CleanUpPolicy.ALL;
    }
    return CleanPodPolicy.Running.name().equals(word)
        ? CleanUpPolicy.UNFINISHED
        : CleanUpPolicy.NONE;
  }
}
