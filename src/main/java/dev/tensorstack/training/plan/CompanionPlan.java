package dev.tensorstack.training.plan;

import dev.tensorstack.training.naming.ObjectKind;
import dev.tensorstack.training.observation.Companions;
import dev.tensorstack.training.observation.Observation;
import dev.tensorstack.training.observation.TrainingJob;
import dev.tensorstack.training.resource.AutoscalerFactory;
import dev.tensorstack.training.resource.CompanionObject;
import dev.tensorstack.training.resource.TensorboardFactory;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a job needs beside its pods: a PodGroup and a HorizontalPodAutoscaler while it goes on, a
 * TensorBoard as long as it exists (docs/concepts.md, Objects and names). An object that is refused
 * holds up nothing else; only pods wait for their PodGroup.
 */
final class CompanionPlan {

  private final Observation seen;
  private final Plan plan;
  private final Companions companions;
  private final List<PlannedAction> actions = new ArrayList<>();

  private CompanionPlan(Observation seen, Plan plan) {
    this.seen = seen;
    this.plan = plan;
    this.companions = seen.companions();
  }

  /** Adds to a plan the writes that make them so. */
  static Plan complete(Observation seen, Plan plan) {
    if (plan.stage() == Plan.Stage.DELETING) {
      return plan;
    }
    return new CompanionPlan(seen, plan).complete();
  }

  private Plan complete() {
    Set<String> wanted = new HashSet<>();
    for (GenericKubernetesResource object : wanted()) {
      wanted.add(Companions.key(object));
      if (isKnown(kindOf(object))) {
        apply(object);
      }
    }
    for (GenericKubernetesResource object : companions.objects()) {
      String key = Companions.key(object);
      ObjectKind kind = kindOf(object);
      if (!wanted.contains(key)
          && object.getMetadata().getDeletionTimestamp() == null
          && kind != null
          && isKnown(kind)) {
        actions.add(
            new PlannedAction.DeleteCompanion(
                kind, object.getMetadata().getName(), object.getMetadata().getUid()));
      }
    }
    return plan.with(actions);
  }

  private boolean isKnown(@Nullable ObjectKind kind) {
    return kind != null && !companions.unknown().contains(kind);
  }

  private void apply(GenericKubernetesResource object) {
    ObjectKind kind = kindOf(object);
    GenericKubernetesResource present =
        kind == null ? null : companions.find(kind, object.getMetadata().getName());
    if (kind == null || (present != null && present.getMetadata().getDeletionTimestamp() != null)) {
      return;
    }
    boolean asWanted =
        present != null
            && !ObjectDifference.isOtherWish(present, object)
            && (companions.settled().contains(Companions.key(object))
                || !ObjectDifference.isChanged(present, object));
    if (!asWanted) {
      object.getMetadata().setUid(present == null ? null : present.getMetadata().getUid());
      actions.add(new PlannedAction.ApplyCompanion(kind, object));
    }
  }

  private List<GenericKubernetesResource> wanted() {
    TrainingJob job = seen.job();
    if (plan.replicas().isEmpty() || isAboutToGo()) {
      return List.of();
    }
    List<GenericKubernetesResource> wanted = new ArrayList<>();
    if (plan.stage() == Plan.Stage.ACTIVE || plan.stage() == Plan.Stage.RESTARTING) {
      ObjectKind podGroup = companions.podGroupKind();
      if (podGroup != null) {
        wanted.add(CompanionObject.podGroup(job, podGroup, Gang.members(job.spec(), plan)));
      }
      GenericKubernetesResource autoscaler = AutoscalerFactory.autoscaler(job);
      if (autoscaler != null) {
        wanted.add(autoscaler);
      }
    }
    wanted.addAll(TensorboardFactory.objects(job));
    return wanted;
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
    ObjectKind podGroup = companions.podGroupKind();
    return podGroup != null && podGroup.kind().equals(object.getKind()) ? podGroup : null;
  }
}
