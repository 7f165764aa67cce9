package dev.tensorstack.training.core.observe;

import dev.tensorstack.training.core.model.JobTraits;
import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.model.RunModeKind;
import dev.tensorstack.training.core.naming.JobLabels;
import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.ContainerStateWaiting;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads what the operator needs to know from a pod. */
public final class PodReader {

  /**
   * Conditions of pods that are taken away though nothing is wrong with them. Kueue ends pods that
   * wait for a node which it has exchanged (its {@code pkg/controller/tas/node_controller.go}).
   */
  private static final List<String> DISRUPTIONS = List.of("DisruptionTarget", "TerminatedByKueue");

  private static final String SCHEDULED = "PodScheduled";
  private static final String READY = "Ready";

  /** Reasons why the pod is not ready, once it has a terminal phase. */
  private static final String COMPLETED = "PodCompleted";

  private static final String FAILED = "PodFailed";

  private PodReader() {}

  /**
   * Whether a condition of a pod is read, here or of a TensorBoard's pod.
   *
   * @param type the condition's type, null when it has none
   * @return false when nobody here asks for it
   */
  public static boolean isRead(@Nullable String type) {
    return type != null
        && (type.equals(SCHEDULED) || type.equals(READY) || DISRUPTIONS.contains(type));
  }

  /**
   * Reads a pod.
   *
   * @param pod a pod that the job owns
   * @param job the job
   * @return the observation; empty when the pod does not carry the labels of a replica, which only
   *     somebody else can have taken away
   */
  public static Optional<ObservedPod> read(Pod pod, TrainingJob job) {
    Map<String, String> labels =
        Objects.requireNonNullElse(pod.getMetadata().getLabels(), Map.of());
    JobLabels.PodRole role = job.labels().roleOf(labels);
    if (role == null) {
      return Optional.empty();
    }
    String name = pod.getMetadata().getName();
    PodStatus status = Objects.requireNonNullElseGet(pod.getStatus(), PodStatus::new);
    PodCondition scheduled = condition(status, SCHEDULED);
    String unscheduled =
        scheduled != null && "False".equals(scheduled.getStatus()) ? scheduled.getReason() : null;
    PodCondition disruption =
        DISRUPTIONS.stream()
            .map(type -> condition(status, type))
            .filter(one -> one != null && "True".equals(one.getStatus()))
            .findFirst()
            .orElse(null);
    List<ObservedContainer> containers = containers(status);
    ObservedPod.Phase phase = phase(pod, status, containers);
    if (!ends(phase) && status.getReason() == null && disruption == null && !isOver(status)) {
      containers.replaceAll(one -> startsAgain(pod, one) ? one.backingOff() : one);
    }
    JobTraits traits = job.spec().traits();
    if (traits.onlyTrainingContainerCounts()) {
      containers.replaceAll(
          one ->
              !one.init() && one.name().equals(traits.trainingContainer()) ? one : one.asSidecar());
    }
    return Optional.of(
        new ObservedPod(
            name,
            pod.getMetadata().getUid(),
            new ReplicaId(role.type(), role.index()),
            role.earlierPods() != null
                ? role.earlierPods()
                : job.names().earlierPods(name, role.type(), role.index()),
            role.attempt(),
            RunModeKind.ofLabel(role.mode()),
            phase,
            pod.getMetadata().getDeletionTimestamp() != null,
            deletionRequestedAt(pod.getMetadata(), containers),
            pod.getSpec() == null ? null : pod.getSpec().getNodeName(),
            null,
            Objects.requireNonNullElse(
                instant(pod.getMetadata().getCreationTimestamp()), Instant.EPOCH),
            status.getReason(),
            status.getMessage(),
            scheduled != null && "Unschedulable".equals(unscheduled)
                ? Objects.requireNonNullElse(scheduled.getMessage(), "no node fits")
                : null,
            "SchedulingGated".equals(unscheduled),
            disruption == null ? null : disruption.getReason() + ": " + disruption.getMessage(),
            disruption == null ? null : instant(disruption.getLastTransitionTime()),
            containers,
            readySince(condition(status, READY)),
            runningSince(status),
            queueEntry(pod),
            nodeSelector(pod)));
  }

  /** The job controls its pods; the entry owns them beside it. */
  private static @Nullable String queueEntry(Pod pod) {
    return pod.getMetadata().getOwnerReferences().stream()
        .filter(owner -> !Boolean.TRUE.equals(owner.getController()))
        .map(OwnerReference::getUid)
        .findFirst()
        .orElse(null);
  }

  private static Map<String, String> nodeSelector(Pod pod) {
    return pod.getSpec() == null || pod.getSpec().getNodeSelector() == null
        ? Map.of()
        : pod.getSpec().getNodeSelector();
  }

  private static boolean ends(ObservedPod.Phase phase) {
    return phase == ObservedPod.Phase.SUCCEEDED || phase == ObservedPod.Phase.FAILED;
  }

  /**
   * Whether the kubelet has decided that the pod is over: it says so in the conditions before it
   * writes the phase, while it stops what is left (pkg/kubelet/status/generate.go).
   */
  private static boolean isOver(PodStatus status) {
    return isReason(status, COMPLETED) || isReason(status, FAILED);
  }

  /** Whether it is for this reason that a pod is not ready. */
  private static boolean isReason(PodStatus status, String reason) {
    PodCondition ready = condition(status, READY);
    return ready != null && reason.equals(ready.getReason());
  }

  /**
   * Whether a kubelet starts a container again that it shows as ended, for the moment until it
   * shows that it waits. An init container that is done has ended for good, and so has everything
   * in a pod that is being deleted.
   *
   * @param pod a pod that has not ended
   */
  private static boolean startsAgain(Pod pod, ObservedContainer container) {
    if (container.state() != ObservedContainer.State.TERMINATED
        || pod.getSpec() == null
        || pod.getSpec().getRestartPolicy() == null
        || pod.getMetadata().getDeletionTimestamp() != null) {
      return false;
    }
    return switch (pod.getSpec().getRestartPolicy()) {
      case "Always" -> container.failed() || !container.init();
      case "OnFailure" -> container.failed();
      default -> false;
    };
  }

  /** The earliest start of what runs now. */
  private static @Nullable Instant runningSince(PodStatus status) {
    return status.getContainerStatuses().stream()
        .map(ContainerStatus::getState)
        .filter(state -> state != null && state.getRunning() != null)
        .map(state -> instant(state.getRunning().getStartedAt()))
        .filter(Objects::nonNull)
        .min(Comparator.naturalOrder())
        .orElse(null);
  }

  private static @Nullable Instant readySince(@Nullable PodCondition condition) {
    return condition != null && "True".equals(condition.getStatus())
        ? Objects.requireNonNullElse(instant(condition.getLastTransitionTime()), Instant.EPOCH)
        : null;
  }

  /**
   * The kubelet writes how the containers ended up to seconds before it writes the phase that
   * follows from it, and no container starts again: with {@code Never}, and with {@code OnFailure}
   * when all are done, whatever the sidecars among the init containers are stopped with. Why it has
   * ended a pod itself, by eviction or the pod's own deadline for example, is only certain with the
   * phase.
   */
  private static ObservedPod.Phase phase(
      Pod pod, PodStatus status, List<ObservedContainer> containers) {
    ObservedPod.Phase written = phase(status.getPhase());
    List<ObservedContainer> main = containers.stream().filter(one -> !one.init()).toList();
    boolean allEnded =
        written == ObservedPod.Phase.RUNNING
            && status.getReason() == null
            && pod.getSpec() != null
            && !main.isEmpty()
            && main.stream().allMatch(one -> one.state() == ObservedContainer.State.TERMINATED);
    if (!allEnded) {
      return written;
    }
    String policy = pod.getSpec().getRestartPolicy();
    if (main.stream().noneMatch(ObservedContainer::failed)) {
      boolean done = "Never".equals(policy) || "OnFailure".equals(policy);
      return done && !isReason(status, FAILED) ? ObservedPod.Phase.SUCCEEDED : written;
    }
    return "Never".equals(policy) ? ObservedPod.Phase.FAILED : written;
  }

  private static ObservedPod.Phase phase(@Nullable String phase) {
    return switch (Objects.requireNonNullElse(phase, "Pending")) {
      case "Running" -> ObservedPod.Phase.RUNNING;
      case "Succeeded" -> ObservedPod.Phase.SUCCEEDED;
      case "Failed" -> ObservedPod.Phase.FAILED;
      case "Unknown" -> ObservedPod.Phase.UNKNOWN;
      default -> ObservedPod.Phase.PENDING;
    };
  }

  private static @Nullable PodCondition condition(PodStatus status, String type) {
    return status.getConditions().stream()
        .filter(condition -> type.equals(condition.getType()))
        .findFirst()
        .orElse(null);
  }

  private static List<ObservedContainer> containers(PodStatus status) {
    List<ObservedContainer> containers = new ArrayList<>();
    status.getInitContainerStatuses().forEach(one -> containers.add(container(one, true)));
    status.getContainerStatuses().forEach(one -> containers.add(container(one, false)));
    return containers;
  }

  private static ObservedContainer container(ContainerStatus status, boolean init) {
    ContainerState before = status.getLastState();
    ObservedContainer lastEnd =
        before == null || before.getTerminated() == null
            ? null
            : ended(status.getName(), init, before.getTerminated(), 0, null);
    int restarts = Objects.requireNonNullElse(status.getRestartCount(), 0);
    ContainerState state = status.getState();
    if (state != null && state.getTerminated() != null) {
      return ended(status.getName(), init, state.getTerminated(), restarts, lastEnd);
    }
    boolean runs = state != null && state.getRunning() != null;
    ContainerStateWaiting waiting = runs || state == null ? null : state.getWaiting();
    return new ObservedContainer(
        status.getName(),
        init,
        runs ? ObservedContainer.State.RUNNING : ObservedContainer.State.WAITING,
        waiting == null ? null : waiting.getReason(),
        waiting == null ? null : waiting.getMessage(),
        null,
        null,
        null,
        restarts,
        lastEnd,
        false);
  }

  private static ObservedContainer ended(
      String name,
      boolean init,
      ContainerStateTerminated end,
      int restarts,
      @Nullable ObservedContainer lastEnd) {
    return new ObservedContainer(
        name,
        init,
        ObservedContainer.State.TERMINATED,
        end.getReason(),
        end.getMessage(),
        end.getExitCode(),
        end.getSignal(),
        instant(end.getFinishedAt()),
        restarts,
        lastEnd,
        false);
  }

  /**
   * The deletion timestamp lies ahead by the grace period. But when the containers of a pod that is
   * being deleted have ended, its kubelet deletes it without grace, and the timestamp becomes that
   * moment: the request came before, and no later than the first end.
   */
  private static @Nullable Instant deletionRequestedAt(
      ObjectMeta metadata, List<ObservedContainer> containers) {
    Instant gone = instant(metadata.getDeletionTimestamp());
    if (gone == null) {
      return null;
    }
    long grace = Objects.requireNonNullElse(metadata.getDeletionGracePeriodSeconds(), 0L);
    if (grace > 0) {
      return gone.minusSeconds(grace);
    }
    return containers.stream()
        .filter(container -> !container.init())
        .map(ObservedContainer::finishedAt)
        .filter(Objects::nonNull)
        .filter(finished -> finished.isBefore(gone))
        .min(Comparator.naturalOrder())
        .orElse(gone);
  }

  private static @Nullable Instant instant(@Nullable String text) {
    return text == null ? null : Instant.parse(text);
  }
}
