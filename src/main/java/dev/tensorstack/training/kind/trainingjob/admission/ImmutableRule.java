package dev.tensorstack.training.kind.trainingjob.admission;

import static java.util.Objects.requireNonNullElse;

import dev.tensorstack.training.core.model.DebugStart;
import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.core.policy.ProcessesPerNode;
import dev.tensorstack.training.kind.Rule;
import dev.tensorstack.training.kind.RuleContext;
import dev.tensorstack.training.kind.SpecComparison;
import dev.tensorstack.training.kind.trainingjob.v1beta1.CoschedulingScheduler;
import dev.tensorstack.training.kind.trainingjob.v1beta1.DebugReplicaSpec;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import dev.tensorstack.training.kind.trainingjob.v1beta1.ReplicaSpec;
import dev.tensorstack.training.kind.trainingjob.v1beta1.ResumeSpec;
import dev.tensorstack.training.kind.trainingjob.v1beta1.RunPolicy;
import dev.tensorstack.training.kind.trainingjob.v1beta1.Scheduler;
import dev.tensorstack.training.kind.trainingjob.v1beta1.T9kScheduler;
import dev.tensorstack.training.kind.trainingjob.v1beta1.TorchrunConfig;
import dev.tensorstack.training.kind.trainingjob.v1beta1.VolcanoScheduler;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What pods were made from stays as it is (docs/reference/api.md: fields that cannot be changed).
 * It compares with the stored object; what is absent has its default, on both sides.
 *
 * <p>Refuses: a change of anything that pods were made from, or of who works on the job.
 */
final class ImmutableRule implements Rule<PyTorchTrainingJobSpec> {

  private static final String REMEDY = "cannot be changed after creation; create another job";
  private static final TorchrunConfig NO_TORCHRUN =
      new TorchrunConfig(false, null, 0, null, "c10d", List.of(), null);

  /** Fields beside those of replicaSpecs; a field whose parent differs is not named as well. */
  private static final List<Field> FIELDS =
      List.of(
          new Field("torchrunConfig.enabled", spec -> torchrun(spec).on()),
          new Field("torchrunConfig.maxRestarts", spec -> torchrun(spec).maxRestarts()),
          new Field("torchrunConfig.rdzvBackend", spec -> torchrun(spec).rdzvBackend()),
          new Field("torchrunConfig.extraOptions", spec -> orEmpty(torchrun(spec).extraOptions())),
          new Field("runMode.debug.replicaSpecs", ImmutableRule::debugSpecs),
          new Field("runMode.pause.resumeSpecs", ImmutableRule::resumeSpecs),
          new Field(
              "runPolicy.restartScope", of(spec -> spec.runPolicy(), RunPolicy::restartScope)),
          new Field(
              "runPolicy.retryableExitCodes",
              of(spec -> spec.runPolicy(), RunPolicy::retryableExitCodes)),
          new Field("scheduler", ImmutableRule::schedulers),
          new Field(
              "scheduler.t9kScheduler.queue",
              of(member(Scheduler::t9kScheduler), T9kScheduler::queue)),
          new Field(
              "scheduler.t9kScheduler.priority",
              of(member(Scheduler::t9kScheduler), T9kScheduler::priority)),
          new Field(
              "scheduler.volcano.queue", of(member(Scheduler::volcano), VolcanoScheduler::queue)),
          new Field(
              "scheduler.volcano.priorityClassName",
              of(member(Scheduler::volcano), VolcanoScheduler::priorityClassName)),
          new Field(
              "scheduler.coscheduling.scheduleTimeoutSeconds",
              of(member(Scheduler::coscheduling), CoschedulingScheduler::scheduleTimeoutSeconds)),
          new Field(
              "scheduler.coscheduling.schedulerName",
              of(member(Scheduler::coscheduling), CoschedulingScheduler::schedulerName)),
          // This operator's own name, too: as in Kubernetes' Job, it neither comes nor goes.
          new Field("managedBy", PyTorchTrainingJobSpec::managedBy));

  private record Field(String path, Function<PyTorchTrainingJobSpec, @Nullable Object> value) {}

  @Override
  public String id() {
    return "immutable";
  }

  @Override
  public List<Violation> check(RuleContext<PyTorchTrainingJobSpec> subject) {
    List<Violation> violations = new ArrayList<>();
    PyTorchTrainingJobSpec old = subject.old();
    if (old == null) {
      return violations;
    }
    PyTorchTrainingJobSpec now = subject.spec();
    replicaSpecs(violations, PlacedContainers.types(old), PlacedContainers.types(now));
    if (!sameProcesses(torchrun(old), torchrun(now))) {
      add(violations, "spec.torchrunConfig.procPerNode", REMEDY);
    }
    for (Field field : FIELDS) {
      String path = "spec." + field.path();
      if (violations.stream().noneMatch(known -> path.startsWith(known.field() + "."))) {
        compare(violations, path, field.value().apply(old), field.value().apply(now));
      }
    }
    return violations;
  }

  private void replicaSpecs(
      List<Violation> violations, List<ReplicaSpec> old, List<ReplicaSpec> now) {
    boolean sameNumber = old.size() == now.size();
    if (!sameNumber) {
      add(violations, "spec.replicaSpecs", "the number of entries " + REMEDY);
    }
    for (int i = 0; i < now.size(); i++) {
      String path = "spec.replicaSpecs[" + i + "].";
      if (sameNumber) {
        compare(violations, path + "type", old.get(i).type(), now.get(i).type());
      }
      ReplicaSpec before = counterpart(old, now.get(i).type(), i);
      if (before == null && sameNumber) {
        before = old.get(i);
      }
      if (before != null) {
        replicaSpec(violations, path, before, now.get(i));
      }
    }
  }

  /** The rest of an entry, which may stand in another place than before. */
  private void replicaSpec(
      List<Violation> violations, String path, ReplicaSpec before, ReplicaSpec after) {
    if (!Objects.equals(before.replicas(), after.replicas())) {
      add(
          violations,
          path + "replicas",
          "cannot be changed after creation; an elastic job is scaled with"
              + " elastic.expectedReplicas, any other needs another job");
    }
    compare(violations, path + "restartPolicy", before.restartPolicy(), after.restartPolicy());
    compare(
        violations,
        path + "template",
        withoutEmptyMetadata(before.template()),
        withoutEmptyMetadata(after.template()));
  }

  /**
   * Tools that are written in Go add {@code metadata: {creationTimestamp: null}}, which says
   * nothing.
   */
  private static @Nullable PodTemplateSpec withoutEmptyMetadata(
      @Nullable PodTemplateSpec template) {
    if (template == null || !SpecComparison.same(new ObjectMeta(), template.getMetadata())) {
      return template;
    }
    PodTemplateSpec copy = new PodTemplateSpec(null, template.getSpec());
    copy.setAdditionalProperties(template.getAdditionalProperties());
    return copy;
  }

  /** The stored entry of that type: the one in the same place, else the first. */
  private static @Nullable ReplicaSpec counterpart(
      List<ReplicaSpec> old, @Nullable String type, int place) {
    if (place < old.size() && Objects.equals(old.get(place).type(), type)) {
      return old.get(place);
    }
    return old.stream().filter(spec -> Objects.equals(spec.type(), type)).findFirst().orElse(null);
  }

  private static TorchrunConfig torchrun(PyTorchTrainingJobSpec spec) {
    return requireNonNullElse(spec.torchrunConfig(), NO_TORCHRUN);
  }

  /** Without the block there is no value; with it, the default is one of two. */
  private static boolean sameProcesses(TorchrunConfig old, TorchrunConfig now) {
    if (old.procPerNode() == null || now.procPerNode() == null) {
      TorchrunConfig given = old.procPerNode() == null ? now : old;
      return given.procPerNode() == null
          || List.of("1", ProcessesPerNode.GPU)
              .contains(ProcessesPerNode.text(given.procPerNode()));
    }
    return ProcessesPerNode.text(old.procPerNode())
        .equals(ProcessesPerNode.text(now.procPerNode()));
  }

  private static List<DebugReplicaSpec> debugSpecs(PyTorchTrainingJobSpec spec) {
    List<DebugReplicaSpec> specs = new ArrayList<>();
    if (spec.runMode() != null && spec.runMode().debug() != null) {
      for (DebugReplicaSpec one : orEmpty(spec.runMode().debug().replicaSpecs())) {
        specs.add(
            one == null
                ? new DebugReplicaSpec(null, false, DebugStart.WAITING_COMMAND)
                : new DebugReplicaSpec(
                    one.type(),
                    requireNonNullElse(one.skipInitContainer(), false),
                    requireNonNullElse(one.command(), DebugStart.WAITING_COMMAND)));
      }
    }
    return specs;
  }

  private static List<ResumeSpec> resumeSpecs(PyTorchTrainingJobSpec spec) {
    List<ResumeSpec> specs = new ArrayList<>();
    if (spec.runMode() != null && spec.runMode().pause() != null) {
      for (ResumeSpec one : orEmpty(spec.runMode().pause().resumeSpecs())) {
        specs.add(
            one == null
                ? new ResumeSpec(null, false, null, null)
                : new ResumeSpec(
                    one.type(),
                    requireNonNullElse(one.skipInitContainer(), false),
                    one.command(),
                    one.args()));
      }
    }
    return specs;
  }

  /** Which members of scheduler are given. */
  private static List<Boolean> schedulers(PyTorchTrainingJobSpec spec) {
    Scheduler scheduler = spec.scheduler();
    return scheduler == null
        ? List.of(false, false, false, false)
        : List.of(
            scheduler.t9kScheduler() != null,
            scheduler.volcano() != null,
            scheduler.coscheduling() != null,
            scheduler.kubernetes() != null);
  }

  private static <T> Function<PyTorchTrainingJobSpec, @Nullable Object> of(
      Function<PyTorchTrainingJobSpec, @Nullable T> block, Function<T, @Nullable Object> value) {
    return spec -> {
      T given = block.apply(spec);
      return given == null ? null : value.apply(given);
    };
  }

  private static <T> Function<PyTorchTrainingJobSpec, @Nullable T> member(
      Function<Scheduler, @Nullable T> member) {
    return spec -> spec.scheduler() == null ? null : member.apply(spec.scheduler());
  }

  private void compare(
      List<Violation> violations, String path, @Nullable Object old, @Nullable Object now) {
    if (!SpecComparison.same(old, now)) {
      add(violations, path, REMEDY);
    }
  }

  private void add(List<Violation> violations, String path, String message) {
    violations.add(new Violation(id(), path, Violation.Reason.FieldValueForbidden, message));
  }

  private static <T> List<T> orEmpty(@Nullable List<T> list) {
    return list == null ? List.of() : list;
  }
}
