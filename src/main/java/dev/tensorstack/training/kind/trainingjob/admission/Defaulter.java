package dev.tensorstack.training.kind.trainingjob.admission;

import static java.util.Objects.requireNonNullElse;

import dev.tensorstack.training.core.pod.PodTemplateCopy;
import dev.tensorstack.training.core.policy.AcceleratorResources;
import dev.tensorstack.training.core.policy.ProcessesPerNode;
import dev.tensorstack.training.core.policy.TrainingContainer;
import dev.tensorstack.training.kind.trainingjob.v1beta1.CleanUpPolicy;
import dev.tensorstack.training.kind.trainingjob.v1beta1.DebugMode;
import dev.tensorstack.training.kind.trainingjob.v1beta1.Elastic;
import dev.tensorstack.training.kind.trainingjob.v1beta1.OnHang;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PauseMode;
import dev.tensorstack.training.kind.trainingjob.v1beta1.Progress;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import dev.tensorstack.training.kind.trainingjob.v1beta1.ReplicaSpec;
import dev.tensorstack.training.kind.trainingjob.v1beta1.RestartPolicy;
import dev.tensorstack.training.kind.trainingjob.v1beta1.RestartScope;
import dev.tensorstack.training.kind.trainingjob.v1beta1.RunMode;
import dev.tensorstack.training.kind.trainingjob.v1beta1.RunPolicy;
import dev.tensorstack.training.kind.trainingjob.v1beta1.Scheduler;
import dev.tensorstack.training.kind.trainingjob.v1beta1.T9kScheduler;
import dev.tensorstack.training.kind.trainingjob.v1beta1.TorchrunConfig;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Gives a spec every default of the API and rewrites old spelling. A second run changes nothing,
 * and what cannot be defaulted (a missing list, an unknown word) is left for the rules to report.
 */
public final class Defaulter {

  private static final int BACKOFF_LIMIT = 3;

  /** torchrun's agents all end when a node leaves and none of these is left. */
  private static final int ELASTIC_MAX_RESTARTS = 10;

  private static final Integer WEIGHT = 1;
  private static final List<Integer> RETRYABLE_EXIT_CODES = List.of(130, 137, 138, 143);
  private static final String QUEUE = "default";
  private static final int PRIORITY = 10;

  private final AcceleratorResources accelerators;

  /**
   * A defaulter.
   *
   * @param accelerators what counts as an accelerator
   */
  public Defaulter(AcceleratorResources accelerators) {
    this.accelerators = accelerators;
  }

  /**
   * Completes a spec.
   *
   * @param spec a spec as the user wrote it, or null
   * @return a new spec with all defaults; for null an empty one, which the rules refuse
   */
  public PyTorchTrainingJobSpec complete(@Nullable PyTorchTrainingJobSpec spec) {
    return complete(spec, null);
  }

  /**
   * Completes a spec that replaces another one. Of the two spellings of a switch {@code enabled}
   * wins, unless it is merely what was stored and {@code enable} is new: then an old manifest has
   * been applied again, and it is what the user wants.
   *
   * @param written a spec as it would be stored, or null
   * @param stored the one that it replaces, as it is stored; null at creation
   * @return a new spec with all defaults; for null an empty one, which the rules refuse
   */
  public PyTorchTrainingJobSpec complete(
      @Nullable PyTorchTrainingJobSpec written, @Nullable PyTorchTrainingJobSpec stored) {
    PyTorchTrainingJobSpec spec =
        written == null || stored == null ? written : OldSpelling.appliedAgain(written, stored);
    if (spec == null) {
      return new PyTorchTrainingJobSpec(null, null, null, null, null, null, null, null);
    }
    List<ReplicaSpec> types = withoutNulls(spec.replicaSpecs());
    Elastic elastic = elastic(spec.elastic(), types);
    return new PyTorchTrainingJobSpec(
        replicaSpecs(types, elastic != null && elastic.on()),
        torchrun(spec.torchrunConfig(), types, elastic != null && elastic.on()),
        elastic,
        runMode(spec.runMode()),
        runPolicy(spec.runPolicy(), types, elastic),
        scheduler(spec.scheduler()),
        spec.tensorboardSpec(),
        spec.managedBy());
  }

  /** An entry that is null is one of which nothing is given: the rules say what it lacks. */
  private static @Nullable List<ReplicaSpec> withoutNulls(@Nullable List<ReplicaSpec> specs) {
    return specs == null
        ? null
        : specs.stream()
            .map(spec -> requireNonNullElse(spec, new ReplicaSpec(null, null, null, null, null)))
            .toList();
  }

  private static @Nullable List<ReplicaSpec> replicaSpecs(
      @Nullable List<ReplicaSpec> specs, boolean elastic) {
    return specs == null
        ? null
        : specs.stream()
            .map(
                spec ->
                    new ReplicaSpec(
                        spec.type(),
                        requireNonNullElse(spec.replicas(), 1),
                        spec.scalingWeight() == null && elastic ? WEIGHT : spec.scalingWeight(),
                        requireNonNullElse(spec.restartPolicy(), RestartPolicy.Never.name()),
                        template(spec.template())))
            .toList();
  }

  private static @Nullable PodTemplateSpec template(@Nullable PodTemplateSpec template) {
    if (template == null
        || template.getSpec() == null
        || "Never".equals(template.getSpec().getRestartPolicy())) {
      return template;
    }
    PodTemplateSpec copy = PodTemplateCopy.of(template);
    copy.getSpec().setRestartPolicy("Never");
    return copy;
  }

  private @Nullable TorchrunConfig torchrun(
      @Nullable TorchrunConfig config, @Nullable List<ReplicaSpec> specs, boolean elastic) {
    if (config == null) {
      return null;
    }
    return new TorchrunConfig(
        config.on(),
        null,
        requireNonNullElse(config.maxRestarts(), elastic ? ELASTIC_MAX_RESTARTS : 0),
        config.procPerNode() != null
            ? config.procPerNode()
            : new IntOrString(anyAccelerator(specs) ? ProcessesPerNode.GPU : "1"),
        requireNonNullElse(config.rdzvBackend(), "c10d"),
        config.extraOptions(),
        config.minNodes());
  }

  private boolean anyAccelerator(@Nullable List<ReplicaSpec> specs) {
    return specs != null
        && specs.stream()
            .map(ReplicaSpec::template)
            .filter(Objects::nonNull)
            .filter(template -> template.getSpec() != null)
            .filter(
                template ->
                    template.getSpec().getContainers() != null
                        && !template.getSpec().getContainers().isEmpty())
            .anyMatch(template -> accelerators.count(TrainingContainer.of(template)) > 0);
  }

  /**
   * Every job says how many pods it has where {@code scale} reads it: a PodDisruptionBudget asks
   * there, whether the job is elastic or not.
   */
  private static @Nullable Elastic elastic(
      @Nullable Elastic elastic, @Nullable List<ReplicaSpec> specs) {
    Elastic given = elastic == null ? new Elastic(null, null, null, null, null, null) : elastic;
    Integer expected =
        given.expectedReplicas() == null ? expected(given, specs) : given.expectedReplicas();
    if (elastic == null && expected == null) {
      return null;
    }
    return new Elastic(
        given.on(), null, given.minReplicas(), given.maxReplicas(), expected, given.metrics());
  }

  private static @Nullable Integer expected(Elastic elastic, @Nullable List<ReplicaSpec> specs) {
    Integer pods = ReplicaCount.of(specs);
    if (!elastic.on() || pods == null) {
      return pods;
    }
    Integer min = elastic.minReplicas();
    Integer max = elastic.maxReplicas();
    return min == null || max == null ? null : (Integer) Math.min(max, Math.max(min, pods));
  }

  private static @Nullable RunMode runMode(@Nullable RunMode mode) {
    if (mode == null) {
      return null;
    }
    DebugMode debug = mode.debug();
    PauseMode pause = mode.pause();
    return new RunMode(
        debug == null ? null : new DebugMode(debug.on(), null, debug.replicaSpecs()),
        pause == null ? null : new PauseMode(pause.on(), null, pause.resumeSpecs()));
  }

  private static RunPolicy runPolicy(
      @Nullable RunPolicy policy, @Nullable List<ReplicaSpec> types, @Nullable Elastic elastic) {
    RunPolicy given = policy == null ? RunPolicy.NONE : policy;
    return new RunPolicy(
        given.activeDeadlineSeconds(),
        requireNonNullElse(given.backoffLimit(), BACKOFF_LIMIT),
        given.backoffWindowSeconds(),
        requireNonNullElse(given.cleanUpPolicy(), CleanUpPolicy.Unfinished.name()),
        given.ttlSecondsAfterFinished(),
        given.restartScope() != null ? given.restartScope() : restartScope(types, elastic).name(),
        requireNonNullElse(given.retryableExitCodes(), RETRYABLE_EXIT_CODES),
        progress(given.progress()));
  }

  private static @Nullable Progress progress(@Nullable Progress given) {
    return given == null
        ? null
        : new Progress(
            given.startSeconds(),
            given.stallSeconds(),
            given.failOnNaN(),
            given.logPattern(),
            requireNonNullElse(given.onFailure(), OnHang.Report.name()));
  }

  /** Ranks cannot rejoin a static process group; an elastic one, or a single pod, is replaced. */
  private static RestartScope restartScope(
      @Nullable List<ReplicaSpec> types, @Nullable Elastic elastic) {
    if (elastic != null && elastic.on()) {
      return RestartScope.Replica;
    }
    long pods =
        types == null
            ? 0
            : types.stream().mapToLong(type -> requireNonNullElse(type.replicas(), 1)).sum();
    return pods == 1 ? RestartScope.Replica : RestartScope.Job;
  }

  private static @Nullable Scheduler scheduler(@Nullable Scheduler scheduler) {
    if (scheduler == null || scheduler.t9kScheduler() == null) {
      return scheduler;
    }
    T9kScheduler t9k = scheduler.t9kScheduler();
    return new Scheduler(
        new T9kScheduler(
            requireNonNullElse(t9k.queue(), QUEUE), requireNonNullElse(t9k.priority(), PRIORITY)),
        scheduler.volcano(),
        scheduler.coscheduling(),
        scheduler.kubernetes());
  }
}
