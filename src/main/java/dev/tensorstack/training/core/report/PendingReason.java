package dev.tensorstack.training.core.report;

import dev.tensorstack.training.core.model.JobSummary;
import dev.tensorstack.training.core.naming.Conditions.Reasons;
import dev.tensorstack.training.core.naming.ObjectKind;
import dev.tensorstack.training.core.observe.ObjectWrite;
import dev.tensorstack.training.core.observe.Observation;
import dev.tensorstack.training.core.observe.ObservedContainer;
import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.core.observe.PodNotes;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.core.observe.WriteFailure;
import dev.tensorstack.training.core.plan.CurrentReplica;
import dev.tensorstack.training.core.plan.GangGate;
import dev.tensorstack.training.core.plan.Plan;
import dev.tensorstack.training.core.plan.ServicePlan;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Why a job does not run yet, said on the job itself.
 *
 * @param reason a reason of the conditions
 * @param message a sentence for people, with what to do about it
 */
record PendingReason(String reason, String message) {

  static final Set<String> IMAGE_REASONS =
      Set.of(
          "ErrImagePull",
          "ImagePullBackOff",
          "InvalidImageName",
          "ErrImageNeverPull",
          "ImageInspectError",
          "RegistryUnavailable");

  /** What the kubelet says while all is well. */
  private static final Set<String> STARTING = Set.of("ContainerCreating", "PodInitializing");

  private static final Set<String> WAITING =
      Set.of(Reasons.WAITING_FOR_GANG, Reasons.WAITING_FOR_QUEUE, Reasons.UNSCHEDULABLE);

  private static final int NAMED = 3;

  /**
   * Looks for what keeps replicas from running; what needs somebody's hand comes first.
   *
   * @return the reason, or null when there is none but time
   */
  static @Nullable PendingReason of(Observation seen, Plan plan) {
    List<CurrentReplica> replicas = plan.replicas();
    WriteFailure failure = refusedCreation(seen.job(), plan);
    if (failure != null) {
      return refused(failure);
    }
    if (plan.gate() instanceof GangGate.Opening) {
      return asBefore(seen.job().summary());
    }
    if (plan.gate() instanceof GangGate.Queued queued) {
      return new PendingReason(Reasons.WAITING_FOR_QUEUE, queued.why());
    }
    if (plan.gate() instanceof GangGate.Closed closed) {
      PendingReason before =
          seen.dependents().gangFacts().beingAsked() ? asBefore(seen.job().summary()) : null;
      if (before != null) {
        return before;
      }
      WriteFailure group = refusedGroup(seen);
      boolean taken = group != null && group.kind() == WriteFailure.Kind.NAME_TAKEN;
      return new PendingReason(
          taken ? Reasons.POD_REJECTED : Reasons.WAITING_FOR_GANG, closed.why());
    }
    PendingReason image = waiting(replicas, Reasons.IMAGE_PULL_FAILED, PendingReason::imageProblem);
    if (image != null) {
      return image;
    }
    PendingReason start =
        waiting(replicas, Reasons.NOT_FINISHED, pod -> startProblem(pod, seen.notes()));
    if (start != null) {
      return start;
    }
    PendingReason gated =
        waiting(
            replicas,
            Reasons.WAITING_FOR_GANG,
            pod -> pod.gated() ? "held back by its scheduling gates" : null);
    if (gated != null) {
      return gated;
    }
    PendingReason unschedulable =
        waiting(
            replicas,
            Reasons.UNSCHEDULABLE,
            pod -> pod.node() == null ? pod.unschedulable() : null);
    if (seen.job().spec().scheduler().kinds().isEmpty()) {
      return unschedulable;
    }
    PendingReason before =
        seen.dependents().gangFacts().beingAsked() ? asBefore(seen.job().summary()) : null;
    if (before != null) {
      return before;
    }
    String hindrance = hindrance(seen);
    if (unschedulable != null) {
      return hindrance == null
          ? unschedulable
          : new PendingReason(unschedulable.reason(), unschedulable.message() + "; " + hindrance);
    }
    String words = wordsOfTheGroup(seen, group(seen), hindrance);
    return waiting(replicas, Reasons.WAITING_FOR_GANG, pod -> pod.node() == null ? words : null);
  }

  /**
   * The refusal that keeps the job from being whole: of the first pod, in the order of ranks, of
   * which somebody may have to do something about it, else of the first pod, else of the Service.
   *
   * @return the refusal; null when all that is wanted of these may be created, as far as is known
   */
  static @Nullable WriteFailure refusedCreation(TrainingJob job, Plan plan) {
    WriteFailure passing = null;
    for (CurrentReplica replica : plan.replicas()) {
      WriteFailure failure = plan.refused().get(ObjectWrite.pod(replica.name()));
      if (failure != null && !failure.passes()) {
        return failure;
      }
      passing = passing == null ? failure : passing;
    }
    return passing == null ? ServicePlan.refused(job, plan) : passing;
  }

  private static @Nullable WriteFailure refusedGroup(Observation seen) {
    ObjectKind kind = seen.dependents().podGroupKind();
    return kind == null
        ? null
        : seen.refused().get(ObjectWrite.of(kind, seen.job().names().podGroup()));
  }

  /** What is not known for a moment after the operator's start is what it was. */
  private static @Nullable PendingReason asBefore(@Nullable JobSummary before) {
    return before != null && WAITING.contains(before.reason())
        ? new PendingReason(before.reason(), before.message())
        : null;
  }

  /**
   * What the scheduler's queue lacks for the gang, for messages; null when nothing is known to.
   *
   * @param seen the job's world
   */
  static @Nullable String hindrance(Observation seen) {
    GenericKubernetesResource group = group(seen);
    return group == null
        ? null
        : seen.job().spec().scheduler().hindrance(group, seen.dependents().gangFacts());
  }

  private static @Nullable GenericKubernetesResource group(Observation seen) {
    ObjectKind kind = seen.dependents().podGroupKind();
    return kind == null ? null : seen.dependents().find(kind, seen.job().names().podGroup());
  }

  private static String wordsOfTheGroup(
      Observation seen, @Nullable GenericKubernetesResource group, @Nullable String hindrance) {
    if (group != null && group.getMetadata().getDeletionTimestamp() != null) {
      return "the PodGroup is being deleted";
    }
    if (hindrance != null) {
      return hindrance;
    }
    String words = group == null ? null : seen.job().spec().scheduler().waiting(group);
    return words == null ? "its scheduler has not placed it and has not said why" : words;
  }

  private static PendingReason refused(WriteFailure failure) {
    String what = failure.write() + ": ";
    return switch (failure.kind()) {
      case QUOTA ->
          new PendingReason(
              Reasons.QUOTA_EXCEEDED,
              what + failure.message() + "; it is tried again, or raise the quota");
      case INVALID ->
          new PendingReason(
              Reasons.INVALID_SPEC,
              what
                  + failure.message()
                  + "; the template cannot be changed: delete the job, correct it, create it again");
      case NAME_TAKEN ->
          new PendingReason(
              Reasons.POD_REJECTED,
              what
                  + "an object of this name belongs to somebody else and is left alone; delete it,"
                  + " or create the job under another name");
      case FORBIDDEN ->
          new PendingReason(
              Reasons.POD_REJECTED,
              what + failure.message() + "; it is tried again until it is allowed");
      case NAME_ENDING ->
          new PendingReason(
              Reasons.NOT_FINISHED, what + "an earlier object of this name is still being deleted");
      case TRANSIENT ->
          new PendingReason(Reasons.NOT_FINISHED, what + failure.message() + "; it is tried again");
    };
  }

  private static @Nullable PendingReason waiting(
      List<CurrentReplica> replicas, String reason, Function<ObservedPod, @Nullable String> why) {
    List<String> names = new ArrayList<>();
    String first = null;
    for (CurrentReplica replica : replicas) {
      ObservedPod pod = replica.pod();
      String problem = pod == null || !pod.live() ? null : why.apply(pod);
      if (problem != null) {
        // Pods of a gang that would fit only say that they wait for those that do not.
        boolean tellsMore = !saysWhatLacks(first) && saysWhatLacks(problem);
        first = first == null || tellsMore ? problem : first;
        names.add(replica.id().toString());
      }
    }
    return first == null ? null : new PendingReason(reason, list(names) + ": " + first);
  }

  private static boolean saysWhatLacks(@Nullable String message) {
    return message != null && message.contains("nodes are available");
  }

  private static String list(List<String> names) {
    return names.size() <= NAMED
        ? String.join(", ", names)
        : String.join(", ", names.subList(0, NAMED)) + " and " + (names.size() - NAMED) + " more";
  }

  private static @Nullable String imageProblem(ObservedPod pod) {
    return containerProblem(pod, IMAGE_REASONS::contains);
  }

  private static @Nullable String startProblem(ObservedPod pod, PodNotes notes) {
    String problem =
        containerProblem(
            pod, reason -> !IMAGE_REASONS.contains(reason) && !STARTING.contains(reason));
    String event = notes.troubles().get(pod.uid());
    return problem == null && event != null ? "its node cannot start it: " + event : problem;
  }

  private static @Nullable String containerProblem(ObservedPod pod, Predicate<String> counts) {
    for (ObservedContainer container : pod.containers()) {
      String reason = container.reason();
      if (container.state() == ObservedContainer.State.WAITING
          && reason != null
          && counts.test(reason)) {
        String message = container.message() == null ? "" : ", " + container.message();
        return "container " + container.name() + " waits: " + reason + message;
      }
    }
    return null;
  }
}
