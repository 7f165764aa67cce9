package dev.tensorstack.training.kind.trainingjob;

import static java.util.Objects.requireNonNull;
import static java.util.Objects.requireNonNullElse;

import dev.tensorstack.training.core.gang.CoschedulingGang;
import dev.tensorstack.training.core.gang.KubernetesGang;
import dev.tensorstack.training.core.gang.PlainScheduling;
import dev.tensorstack.training.core.gang.T9kGang;
import dev.tensorstack.training.core.gang.VolcanoGang;
import dev.tensorstack.training.core.model.Autoscaling;
import dev.tensorstack.training.core.model.CleanUpPolicy;
import dev.tensorstack.training.core.model.DebugStart;
import dev.tensorstack.training.core.model.Elasticity;
import dev.tensorstack.training.core.model.GangScheduler;
import dev.tensorstack.training.core.model.JobSpec;
import dev.tensorstack.training.core.model.ProgressPolicy;
import dev.tensorstack.training.core.model.RendezvousBackend;
import dev.tensorstack.training.core.model.ReplicaType;
import dev.tensorstack.training.core.model.RestartPolicy;
import dev.tensorstack.training.core.model.RestartScope;
import dev.tensorstack.training.core.model.ResumeStart;
import dev.tensorstack.training.core.model.RunPolicy;
import dev.tensorstack.training.core.model.Tensorboard;
import dev.tensorstack.training.core.model.Torchrun;
import dev.tensorstack.training.core.pod.TorchrunPods;
import dev.tensorstack.training.core.queue.KueueQueue;
import dev.tensorstack.training.kind.trainingjob.spec.LogSources;
import dev.tensorstack.training.kind.trainingjob.v1beta1.CoschedulingScheduler;
import dev.tensorstack.training.kind.trainingjob.v1beta1.DebugReplicaSpec;
import dev.tensorstack.training.kind.trainingjob.v1beta1.Elastic;
import dev.tensorstack.training.kind.trainingjob.v1beta1.OnHang;
import dev.tensorstack.training.kind.trainingjob.v1beta1.Progress;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import dev.tensorstack.training.kind.trainingjob.v1beta1.ReplicaSpec;
import dev.tensorstack.training.kind.trainingjob.v1beta1.ResumeSpec;
import dev.tensorstack.training.kind.trainingjob.v1beta1.RunMode;
import dev.tensorstack.training.kind.trainingjob.v1beta1.Scheduler;
import dev.tensorstack.training.kind.trainingjob.v1beta1.T9kScheduler;
import dev.tensorstack.training.kind.trainingjob.v1beta1.TensorboardSpec;
import dev.tensorstack.training.kind.trainingjob.v1beta1.TorchrunConfig;
import dev.tensorstack.training.kind.trainingjob.v1beta1.VolcanoScheduler;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads the spec of a {@code PyTorchTrainingJob} as the engine's model. It is given what the
 * defaulter has completed, and reads a spec that the rules refuse as far as it goes: an unknown
 * restart policy or clean-up policy counts as the default, replica types without a name are left
 * out.
 */
public final class SpecReader {

  private final PyTorchTrainingJobSpec spec;
  private final @Nullable RunMode mode;

  private SpecReader(PyTorchTrainingJobSpec spec) {
    this.spec = spec;
    this.mode = spec.runMode();
  }

  /**
   * Reads a spec.
   *
   * @param spec the spec with all defaults
   * @param labels the job's labels, which name its Kueue queue
   * @return the model
   */
  public static JobSpec read(PyTorchTrainingJobSpec spec, Map<String, String> labels) {
    return new SpecReader(spec).read(labels);
  }

  private JobSpec read(Map<String, String> labels) {
    return new JobSpec(
        types(),
        torchrun(spec.torchrunConfig()),
        elastic(spec.elastic()),
        autoscaling(spec.elastic()),
        spec.debugOn(),
        spec.pauseOn(),
        runPolicy(spec.runPolicy()),
        scheduler(spec.scheduler()),
        KueueQueue.of(labels, false),
        tensorboard(spec.tensorboardSpec()),
        TorchrunPods.WITH_MASTER);
  }

  private List<ReplicaType> types() {
    List<ReplicaType> types = new ArrayList<>();
    for (ReplicaSpec type : orEmpty(spec.replicaSpecs())) {
      if (type.type() != null) {
        types.add(
            new ReplicaType(
                type.type(),
                requireNonNullElse(type.replicas(), 1),
                requireNonNullElse(type.scalingWeight(), 1),
                restartPolicy(type.restartPolicy()),
                requireNonNullElse(type.template(), new PodTemplateSpec()),
                debug(type.type()),
                resume(type.type())));
      }
    }
    return List.copyOf(types);
  }

  private static RestartPolicy restartPolicy(@Nullable String word) {
    return switch (requireNonNullElse(word, "")) {
      case "Always" -> RestartPolicy.ALWAYS;
      case "OnFailure" -> RestartPolicy.ON_FAILURE;
      case "ExitCode" -> RestartPolicy.EXIT_CODE;
      default -> RestartPolicy.NEVER;
    };
  }

  private DebugStart debug(String type) {
    DebugReplicaSpec settings =
        mode == null || mode.debug() == null
            ? null
            : find(mode.debug().replicaSpecs(), DebugReplicaSpec::type, type);
    return settings == null
        ? DebugStart.WAITING
        : new DebugStart(
            requireNonNullElse(settings.command(), DebugStart.WAITING_COMMAND),
            Boolean.TRUE.equals(settings.skipInitContainer()));
  }

  private ResumeStart resume(String type) {
    ResumeSpec settings =
        mode == null || mode.pause() == null
            ? null
            : find(mode.pause().resumeSpecs(), ResumeSpec::type, type);
    return settings == null
        ? ResumeStart.AS_BEFORE
        : new ResumeStart(
            settings.command(), settings.args(), Boolean.TRUE.equals(settings.skipInitContainer()));
  }

  private static @Nullable Torchrun torchrun(@Nullable TorchrunConfig config) {
    return config == null || !config.on()
        ? null
        : new Torchrun(
            requireNonNull(config.procPerNode(), "the spec has its defaults"),
            backend(config.rdzvBackend()),
            requireNonNullElse(config.maxRestarts(), 0),
            requireNonNullElse(config.extraOptions(), List.of()));
  }

  private static RendezvousBackend backend(@Nullable String word) {
    for (RendezvousBackend backend : RendezvousBackend.values()) {
      if (backend.option().equals(word)) {
        return backend;
      }
    }
    return RendezvousBackend.C10D;
  }

  private static @Nullable Elasticity elastic(@Nullable Elastic elastic) {
    if (elastic == null || !elastic.on()) {
      return null;
    }
    int least = requireNonNullElse(elastic.minReplicas(), 1);
    return new Elasticity(
        least,
        requireNonNullElse(elastic.maxReplicas(), least),
        elastic.minReplicas() != null && elastic.maxReplicas() != null,
        requireNonNullElse(elastic.expectedReplicas(), least));
  }

  private static @Nullable Autoscaling autoscaling(@Nullable Elastic elastic) {
    return elastic == null
            || !elastic.on()
            || elastic.minReplicas() == null
            || elastic.maxReplicas() == null
            || orEmpty(elastic.metrics()).isEmpty()
        ? null
        : new Autoscaling(elastic.minReplicas(), elastic.maxReplicas(), orEmpty(elastic.metrics()));
  }

  private static RunPolicy runPolicy(
      dev.tensorstack.training.kind.trainingjob.v1beta1.@Nullable RunPolicy policy) {
    if (policy == null) {
      return new RunPolicy(
          0,
          null,
          RestartScope.JOB,
          Set.of(),
          CleanUpPolicy.UNFINISHED,
          null,
          null,
          ProgressPolicy.NONE);
    }
    return new RunPolicy(
        requireNonNullElse(policy.backoffLimit(), 0),
        policy.backoffWindowSeconds(),
        "Job".equals(policy.restartScope()) ? RestartScope.JOB : RestartScope.REPLICA,
        Set.copyOf(orEmpty(policy.retryableExitCodes())),
        cleanUp(policy.cleanUpPolicy()),
        policy.activeDeadlineSeconds(),
        policy.ttlSecondsAfterFinished(),
        progress(policy.progress()));
  }

  private static ProgressPolicy progress(@Nullable Progress progress) {
    return progress == null
        ? ProgressPolicy.NONE
        : new ProgressPolicy(
            progress.logPattern() == null,
            progress.startSeconds(),
            progress.stallSeconds(),
            progress.failOnNaN(),
            progress.logPattern(),
            OnHang.Restart.name().equals(progress.onFailure()));
  }

  private static CleanUpPolicy cleanUp(@Nullable String word) {
    return switch (requireNonNullElse(word, "")) {
      case "All" -> CleanUpPolicy.ALL;
      case "None" -> CleanUpPolicy.NONE;
      default -> CleanUpPolicy.UNFINISHED;
    };
  }

  private static GangScheduler scheduler(@Nullable Scheduler scheduler) {
    if (scheduler == null) {
      return new PlainScheduling();
    }
    T9kScheduler t9k = scheduler.t9kScheduler();
    if (t9k != null) {
      return new T9kGang(
          requireNonNull(t9k.queue(), "the spec has its defaults"),
          requireNonNull(t9k.priority(), "the spec has its defaults"));
    }
    VolcanoScheduler volcano = scheduler.volcano();
    if (volcano != null) {
      return new VolcanoGang(volcano.queue(), volcano.priorityClassName());
    }
    CoschedulingScheduler coscheduling = scheduler.coscheduling();
    if (coscheduling != null) {
      return new CoschedulingGang(
          coscheduling.schedulerName(), coscheduling.scheduleTimeoutSeconds());
    }
    return scheduler.kubernetes() == null ? new PlainScheduling() : new KubernetesGang();
  }

  private static @Nullable Tensorboard tensorboard(@Nullable TensorboardSpec spec) {
    return spec == null
        ? null
        : new Tensorboard(
            spec.image(),
            LogSources.of(spec),
            spec.resources(),
            Boolean.TRUE.equals(spec.suspend()));
  }

  private static <T> @Nullable T find(
      @Nullable List<T> list, Function<T, @Nullable String> type, String wanted) {
    return orEmpty(list).stream()
        .filter(entry -> wanted.equals(type.apply(entry)))
        .findFirst()
        .orElse(null);
  }

  private static <T> List<T> orEmpty(@Nullable List<T> list) {
    return list == null ? List.of() : list.stream().filter(Objects::nonNull).toList();
  }
}
