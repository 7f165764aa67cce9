package dev.tensorstack.training.core.plan;

import dev.tensorstack.training.core.dependents.AutoscalerFactory;
import dev.tensorstack.training.core.dependents.DependentObject;
import dev.tensorstack.training.core.dependents.TensorboardFactory;
import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.model.JobQueue;
import dev.tensorstack.training.core.model.QueueAnswer;
import dev.tensorstack.training.core.model.QueueFacts;
import dev.tensorstack.training.core.naming.ObjectKind;
import dev.tensorstack.training.core.observe.Observation;
import dev.tensorstack.training.core.observe.ObservedDependents;
import dev.tensorstack.training.core.observe.TrainingJob;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
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
  private final PlanSettings settings;
  private final Instant now;
  private final ObservedDependents dependents;
  private final QueueState queue;
  private final List<PlannedAction> actions = new ArrayList<>();

  private DependentsPlan(Observation seen, Plan plan, PlanSettings settings, Instant now) {
    this.seen = seen;
    this.plan = plan;
    this.settings = settings;
    this.now = now;
    this.dependents = seen.dependents();
    this.queue = QueueState.of(seen);
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
    queueStatus();
    return plan.with(actions);
  }

  private boolean isKnown(@Nullable ObjectKind kind) {
    return kind != null && !dependents.unknown().contains(kind);
  }

  private void apply(GenericKubernetesResource object) {
    if (object == queue.entry()) {
      return; // It stays as it is.
    }
    ObjectKind kind = kindOf(object);
    GenericKubernetesResource present =
        kind == null ? null : dependents.find(kind, object.getMetadata().getName());
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
    if (plan.stage() == Plan.Stage.ACTIVE || plan.stage() == Plan.Stage.RESTARTING) {
      ObjectKind podGroup = dependents.podGroupKind();
      if (podGroup != null) {
        wanted.add(DependentObject.podGroup(job, podGroup, Gang.members(seen, replicas)));
      }
      GenericKubernetesResource autoscaler = AutoscalerFactory.autoscaler(job);
      if (autoscaler != null) {
        wanted.add(autoscaler);
      }
    }
    GenericKubernetesResource entry = queueEntry();
    if (entry != null) {
      wanted.add(entry);
    }
    wanted.addAll(TensorboardFactory.objects(job));
    return wanted;
  }

  /**
   * The job's place in its queue: it is there before the pods, and goes once the last of them has
   * ended, because the next job begins at once.
   *
   * @return null when the job shall have none, or when that cannot be decided yet
   */
  private @Nullable GenericKubernetesResource queueEntry() {
    ObjectKind kind = dependents.queueKind();
    QueueFacts facts = dependents.queueFacts();
    JobQueue named = seen.job().spec().queue();
    if (kind == null || named == null) {
      return null;
    }
    GenericKubernetesResource present = queue.entry();
    boolean wantsPods =
        plan.stage() == Plan.Stage.ACTIVE
            || plan.stage() == Plan.Stage.RESTARTING
            || (plan.stage() == Plan.Stage.HELD
                && plan.ledger().hold() == Ledger.Hold.WAITING
                && !HeldJob.isUsedUp(plan, queue));
    if (facts == null || (present != null && !named.takesChanges(present))) {
      return wantsPods || isUsed() ? present : null;
    }
    if (wantsPods) {
      return DependentObject.queueEntry(
          seen.job(), kind, named.entry(kind, seen.job().spec(), facts));
    }
    return isUsed() ? present : null;
  }

  /** Whether a pod may still use the job's share. */
  private boolean isUsed() {
    return !seen.creating().isEmpty()
        || seen.pods().stream()
            .anyMatch(pod -> !pod.ended() && !pod.givenUp(settings.nodeLossGrace(), now));
  }

  private static boolean isGoneForGood(CurrentReplica replica) {
    Ledger.RecordedEnd end = replica.slot().end();
    return end != null && end.tolerated();
  }

  private static boolean haveStarted(List<CurrentReplica> replicas) {
    return replicas.stream()
        .allMatch(
            replica ->
                replica.done()
                    || isGoneForGood(replica)
                    || (replica.pod() != null && replica.pod().readySince() != null));
  }

  /** Gives back what the job does not use any more. */
  private void queueStatus() {
    GenericKubernetesResource entry = queue.entry();
    ObjectKind kind = dependents.queueKind();
    QueueAnswer answer = queue.answer();
    if (entry == null
        || kind == null
        || answer == null
        || queue.queue() == null
        || plan.current() == null
        || entry.getMetadata().getDeletionTimestamp() != null) {
      return;
    }
    Map<String, Object> status = null;
    if (answer.state() == QueueAnswer.State.LEAVING
        && plan.ledger().hold() == Ledger.Hold.WAITING
        && !isUsed()) {
      status = queue.queue().givenBack(entry, now);
    } else if (answer.state() == QueueAnswer.State.ADMITTED && plan.stage() == Plan.Stage.ACTIVE) {
      status =
          queue
              .queue()
              .told(entry, QueueState.needed(plan.current()), haveStarted(plan.replicas()), now);
    }
    if (status != null) {
      actions.add(
          new PlannedAction.WriteStatus(
              kind,
              entry.getMetadata().getName(),
              entry.getMetadata().getUid(),
              entry.getMetadata().getResourceVersion(),
              status));
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
