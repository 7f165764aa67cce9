package dev.tensorstack.training.core.plan;

import dev.tensorstack.training.core.dependents.AutoscalerFactory;
import dev.tensorstack.training.core.dependents.DependentObject;
import dev.tensorstack.training.core.dependents.TensorboardFactory;
import dev.tensorstack.training.core.naming.ObjectKind;
import dev.tensorstack.training.core.observe.Observation;
import dev.tensorstack.training.core.observe.ObservedDependents;
import dev.tensorstack.training.core.observe.TrainingJob;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a job needs beside its pods: a PodGroup and a HorizontalPodAutoscaler while it goes on, a
 * place in its queue until its last pod has ended, a TensorBoard as long as it exists
 * (docs/concepts.md, Objects and names). An object that is refused holds up nothing else; only pods
 * wait for their PodGroup.
 */
final class DependentsPlan {

  private final Observation seen;
  private final Plan plan;
  private final ObservedDependents dependents;
  private final QueueState queue;
  private final QueueEntries entries;
  private final List<PlannedAction> actions = new ArrayList<>();

  private DependentsPlan(Observation seen, Plan plan, PlanSettings settings, Instant now) {
    this.seen = seen;
    this.plan = plan;
    this.dependents = seen.dependents();
    this.queue = QueueState.of(seen);
    this.entries = new QueueEntries(seen, plan, queue, settings, now);
  }

  /** Adds to a plan the writes that make them so. */
  static Plan complete(Observation seen, Plan plan, PlanSettings settings, Instant now) {
    if (plan.stage() == Plan.Stage.DELETING) {
      return plan;
    }
    return new DependentsPlan(seen, plan, settings, now).complete();
  }

  private Plan complete() {
    Set<String> wanted = new HashSet<>();
    for (GenericKubernetesResource object : wanted()) {
      wanted.add(ObservedDependents.key(object));
      if (isKnown(kindOf(object))) {
        apply(object);
      }
    }
    for (GenericKubernetesResource object : dependents.objects()) {
      String key = ObservedDependents.key(object);
      ObjectKind kind = kindOf(object);
      if (!wanted.contains(key)
          && object.getMetadata().getDeletionTimestamp() == null
          && kind != null
          && isKnown(kind)) {
        actions.add(
            new PlannedAction.DeleteDependent(
                kind, object.getMetadata().getName(), object.getMetadata().getUid()));
      }
    }
    actions.addAll(entries.statuses(wanted));
    return plan.with(actions);
  }

  private boolean isKnown(@Nullable ObjectKind kind) {
    return kind != null && !dependents.unknown().contains(kind);
  }

  private void apply(GenericKubernetesResource object) {
    ObjectKind kind = kindOf(object);
    GenericKubernetesResource present =
        kind == null ? null : dependents.find(kind, object.getMetadata().getName());
    if (object == present) {
      return; // It stays as it is.
    }
    if (kind == null || (present != null && present.getMetadata().getDeletionTimestamp() != null)) {
      return;
    }
    boolean asWanted =
        present != null
            && !ObjectDifference.isOtherWish(present, object)
            && (dependents.settled().contains(ObservedDependents.key(object))
                || !ObjectDifference.isChanged(present, object));
    if (!asWanted) {
      object.getMetadata().setUid(present == null ? null : present.getMetadata().getUid());
      actions.add(new PlannedAction.ApplyDependent(kind, object));
    }
  }

  private List<GenericKubernetesResource> wanted() {
    TrainingJob job = seen.job();
    CurrentReplicas replicas = plan.current();
    if (replicas == null || isAboutToGo()) {
      return List.of();
    }
    List<GenericKubernetesResource> wanted = new ArrayList<>();
    boolean goesOn = plan.stage() == Plan.Stage.ACTIVE || plan.stage() == Plan.Stage.RESTARTING;
    // What waits in a queue takes no room in a scheduler's eyes, and has nothing to scale.
    Boolean mayStart = queue.mayStart();
    if (goesOn && !Boolean.FALSE.equals(mayStart)) {
      ObjectKind podGroup = dependents.podGroupKind();
      if (podGroup != null) {
        add(
            wanted,
            mayStart,
            DependentObject.podGroup(job, podGroup, Gang.members(seen, replicas)));
      }
      GenericKubernetesResource autoscaler = AutoscalerFactory.autoscaler(job);
      if (autoscaler != null) {
        add(wanted, mayStart, autoscaler);
      }
    }
    wanted.addAll(entries.wanted());
    wanted.addAll(TensorboardFactory.objects(job));
    return wanted;
  }

  /** While it is not known whether the job may start, what is there stays as it is. */
  private void add(
      List<GenericKubernetesResource> wanted,
      @Nullable Boolean mayStart,
      GenericKubernetesResource object) {
    if (mayStart != null) {
      wanted.add(object);
      return;
    }
    ObjectKind kind = kindOf(object);
    GenericKubernetesResource present =
        kind == null ? null : dependents.find(kind, object.getMetadata().getName());
    if (present != null) {
      wanted.add(present);
    }
  }

  private boolean isAboutToGo() {
    return plan.actions().stream().anyMatch(PlannedAction.DeleteJob.class::isInstance);
  }

  private @Nullable ObjectKind kindOf(GenericKubernetesResource object) {
    for (ObjectKind kind : ObjectKind.BESIDE_PODS) {
      if (kind.kind().equals(object.getKind())
          && kind.apiVersion().equals(object.getApiVersion())) {
        return kind;
      }
    }
    ObjectKind queueKind = dependents.queueKind();
    if (queueKind != null && queueKind.kind().equals(object.getKind())) {
      return queueKind;
    }
    ObjectKind podGroup = dependents.podGroupKind();
    return podGroup != null && podGroup.kind().equals(object.getKind()) ? podGroup : null;
  }
}
