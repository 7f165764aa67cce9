package dev.tensorstack.training.fakekubelet;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStateBuilder;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.ContainerStatusBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodConditionBuilder;
import io.fabric8.kubernetes.api.model.PodIP;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.PodStatusBuilder;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The statuses that a kubelet reports. Pure: same arguments, same status. */
final class PodReports {
  private PodReports() {}

  /** All containers run and are ready; init containers are done, or run if they are sidecars. */
  static PodStatus running(
      Pod pod, String ip, Instant now, int restarts, @Nullable ContainerState lastState) {
    ContainerState running =
        new ContainerStateBuilder().withNewRunning().withStartedAt(time(now)).endRunning().build();
    return base(pod, ip, now)
        .withPhase("Running")
        .withConditions(conditions(now, "True", "True", null))
        .withInitContainerStatuses(
            pod.getSpec().getInitContainers().stream()
                .map(
                    init ->
                        isSidecar(init)
                            ? status(init, running, true, 0, null)
                            : status(init, exited(0, "Completed", now, now), true, 0, null))
                .toList())
        .withContainerStatuses(
            pod.getSpec().getContainers().stream()
                .map(container -> status(container, running, true, restarts, lastState))
                .toList())
        .build();
  }

  /** All containers have ended, and are started again after a while. */
  static PodStatus backingOff(
      Pod pod, String ip, Instant started, int restarts, ContainerState lastState) {
    ContainerState waiting =
        new ContainerStateBuilder()
            .withNewWaiting()
            .withReason("CrashLoopBackOff")
            .endWaiting()
            .build();
    return new PodStatusBuilder(running(pod, ip, started, restarts, lastState))
        .withConditions(conditions(started, "True", "False", "ContainersNotReady"))
        .withContainerStatuses(
            pod.getSpec().getContainers().stream()
                .map(container -> status(container, waiting, false, restarts, lastState))
                .toList())
        .build();
  }

  /** All containers have ended, and so has the pod. */
  static PodStatus ended(
      Pod pod, String ip, Instant started, Instant now, int restarts, int exitCode, String reason) {
    ContainerState state = exited(exitCode, reason, started, now);
    String why = exitCode == 0 ? "PodCompleted" : "PodFailed";
    return base(pod, ip, started)
        .withPhase(exitCode == 0 ? "Succeeded" : "Failed")
        .withConditions(conditions(now, "True", "False", why))
        .withInitContainerStatuses(
            pod.getSpec().getInitContainers().stream()
                .map(
                    init ->
                        status(
                            init, exited(0, "Completed", started, now), !isSidecar(init), 0, null))
                .toList())
        .withContainerStatuses(
            pod.getSpec().getContainers().stream()
                .map(container -> status(container, state, false, restarts, null))
                .toList())
        .build();
  }

  /** The node threw the pod out. */
  static PodStatus evicted(
      Pod pod, String ip, Instant started, Instant now, int restarts, int exitCode) {
    PodStatus ended = ended(pod, ip, started, now, restarts, exitCode, "Error");
    return new PodStatusBuilder(ended)
        .withReason("Evicted")
        .withMessage("The node was low on resource: memory.")
        .addToConditions(
            new PodConditionBuilder()
                .withType("DisruptionTarget")
                .withStatus("True")
                .withReason("TerminationByKubelet")
                .withMessage("The node was low on resource: memory.")
                .withLastTransitionTime(time(now))
                .build())
        .build();
  }

  /** No container could be started. */
  static PodStatus waiting(Pod pod, String ip, Instant now, String reason) {
    return base(pod, ip, now)
        .withPhase("Pending")
        .withConditions(conditions(now, "True", "False", "ContainersNotReady"))
        .withContainerStatuses(
            pod.getSpec().getContainers().stream()
                .map(
                    container ->
                        status(
                            container,
                            new ContainerStateBuilder()
                                .withNewWaiting()
                                .withReason(reason)
                                .withMessage(
                                    "Back-off pulling image \"" + container.getImage() + "\"")
                                .endWaiting()
                                .build(),
                            false,
                            0,
                            null))
                .toList())
        .build();
  }

  static ContainerState exited(int exitCode, String reason, Instant started, Instant now) {
    return new ContainerStateBuilder()
        .withNewTerminated()
        .withExitCode(exitCode)
        .withReason(reason)
        .withStartedAt(time(started))
        .withFinishedAt(time(now))
        .endTerminated()
        .build();
  }

  private static boolean isSidecar(Container init) {
    return "Always".equals(init.getRestartPolicy());
  }

  private static PodStatusBuilder base(Pod pod, String ip, Instant started) {
    return new PodStatusBuilder()
        .withHostIP("127.0.0.1")
        .withPodIP(ip)
        .withPodIPs(new PodIP(ip))
        .withStartTime(time(started))
        .withObservedGeneration(pod.getMetadata().getGeneration());
  }

  /** Conditions of a pod that is initialized; the one of the scheduler stays as it is. */
  private static List<PodCondition> conditions(
      Instant now, String initialized, String ready, @Nullable String reason) {
    return List.of(
        condition("PodReadyToStartContainers", initialized, null, now),
        condition("Initialized", initialized, null, now),
        condition("ContainersReady", ready, reason, now),
        condition("Ready", ready, reason, now));
  }

  private static PodCondition condition(
      String type, String status, @Nullable String reason, Instant now) {
    return new PodConditionBuilder()
        .withType(type)
        .withStatus(status)
        .withReason(reason)
        .withLastTransitionTime(time(now))
        .build();
  }

  private static ContainerStatus status(
      Container container,
      ContainerState state,
      boolean ready,
      int restarts,
      @Nullable ContainerState lastState) {
    return new ContainerStatusBuilder()
        .withName(container.getName())
        .withImage(container.getImage())
        .withImageID("fake://" + container.getImage())
        .withContainerID(state.getWaiting() == null ? "fake://" + container.getName() : null)
        .withReady(ready)
        .withStarted(state.getRunning() != null)
        .withRestartCount(restarts)
        .withState(state)
        .withLastState(lastState)
        .build();
  }

  private static String time(Instant instant) {
    return instant.truncatedTo(ChronoUnit.SECONDS).toString();
  }
}
