package dev.tensorstack.training.localnode;

import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStateBuilder;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.ContainerStatusBuilder;
import io.fabric8.kubernetes.api.model.HostIP;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodConditionBuilder;
import io.fabric8.kubernetes.api.model.PodIP;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.PodStatusBuilder;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Builds the status of a pod from what its containers do. A pure function. */
final class PodStatusView {
  private PodStatusView() {}

  /**
   * What is known of a pod.
   *
   * @param phase the pod's phase
   * @param reason why it has failed as a whole; null otherwise
   * @param message the same as a sentence; null otherwise
   * @param podIp its address
   * @param startTime when the node took it
   * @param runs its containers, init containers first, in the pod's order
   */
  record Facts(
      String phase,
      @Nullable String reason,
      @Nullable String message,
      String podIp,
      Instant startTime,
      List<ContainerRun> runs) {}

  /**
   * Builds the status.
   *
   * @param pod the pod as the API server has it: its conditions of other writers, and the times of
   *     conditions that do not change, are kept
   * @param facts what is known
   * @param now the time of conditions that change
   * @return the whole status
   */
  static PodStatus of(Pod pod, Facts facts, Instant now) {
    List<ContainerStatus> init = new ArrayList<>();
    List<ContainerStatus> main = new ArrayList<>();
    for (ContainerRun run : facts.runs()) {
      (run.kind() == ContainerRun.Kind.MAIN ? main : init).add(container(pod, run));
    }
    PodStatus old = pod.getStatus();
    return new PodStatusBuilder(old == null ? new PodStatus() : old)
        .withPhase(facts.phase())
        .withReason(facts.reason())
        .withMessage(facts.message())
        .withHostIP("127.0.0.1")
        .withHostIPs(new HostIP("127.0.0.1"))
        .withPodIP(facts.podIp())
        .withPodIPs(new PodIP(facts.podIp()))
        .withStartTime(seconds(facts.startTime()))
        .withInitContainerStatuses(init)
        .withContainerStatuses(main)
        .withConditions(conditions(old, facts, now))
        .build();
  }

  private static List<PodCondition> conditions(@Nullable PodStatus old, Facts facts, Instant now) {
    List<PodCondition> conditions = new ArrayList<>();
    if (old != null && old.getConditions() != null) {
      conditions.addAll(old.getConditions());
    }
    boolean ended = facts.phase().equals("Succeeded") || facts.phase().equals("Failed");
    String notReady =
        !ended ? null : facts.phase().equals("Succeeded") ? "PodCompleted" : "PodFailed";
    boolean initialized =
        facts.runs().stream()
            .allMatch(
                run ->
                    switch (run.kind()) {
                      case MAIN -> true;
                      case SIDECAR -> run.running() || ended;
                      case INIT -> succeeded(run);
                    });
    boolean ready =
        !ended
            && facts.runs().stream()
                .filter(run -> run.kind() != ContainerRun.Kind.INIT)
                .allMatch(ContainerRun::ready);
    String unready = notReady != null ? notReady : "ContainersNotReady";
    set(conditions, "PodReadyToStartContainers", !ended, null, now);
    set(conditions, "Initialized", initialized, "ContainersNotInitialized", now);
    set(conditions, "ContainersReady", ready, unready, now);
    set(conditions, "Ready", ready, unready, now);
    return conditions;
  }

  private static boolean succeeded(ContainerRun run) {
    ContainerPhase.Terminated end = run.ended();
    return end != null && end.exitCode() == 0;
  }

  private static void set(
      List<PodCondition> conditions,
      String type,
      boolean value,
      @Nullable String whyNot,
      Instant now) {
    String status = value ? "True" : "False";
    String since = seconds(now);
    for (PodCondition condition : conditions) {
      if (type.equals(condition.getType()) && status.equals(condition.getStatus())) {
        since = condition.getLastTransitionTime();
      }
    }
    conditions.removeIf(condition -> type.equals(condition.getType()));
    conditions.add(
        new PodConditionBuilder()
            .withType(type)
            .withStatus(status)
            .withReason(value ? null : whyNot)
            .withLastTransitionTime(since)
            .build());
  }

  private static ContainerStatus container(Pod pod, ContainerRun run) {
    boolean initEnded = run.kind() == ContainerRun.Kind.INIT && succeeded(run);
    ContainerPhase.Terminated last = run.last();
    String name = run.container().getName();
    boolean started = run.phase() instanceof ContainerPhase.Running;
    return new ContainerStatusBuilder()
        .withName(name)
        .withImage(run.container().getImage())
        .withImageID("")
        .withContainerID(
            run.phase() instanceof ContainerPhase.Waiting && last == null
                ? null
                : "local://" + pod.getMetadata().getUid() + "/" + name + "/" + run.restarts())
        .withReady(run.ready() || initEnded)
        .withStarted(started)
        .withRestartCount(run.restarts())
        .withState(state(run.phase()))
        .withLastState(last == null || last == run.phase() ? new ContainerState() : state(last))
        .build();
  }

  private static ContainerState state(ContainerPhase phase) {
    ContainerStateBuilder state = new ContainerStateBuilder();
    if (phase instanceof ContainerPhase.Waiting waiting) {
      state
          .withNewWaiting()
          .withReason(waiting.reason())
          .withMessage(waiting.message())
          .endWaiting();
    } else if (phase instanceof ContainerPhase.Running running) {
      state.withNewRunning().withStartedAt(seconds(running.startedAt())).endRunning();
    } else if (phase instanceof ContainerPhase.Terminated end) {
      state
          .withNewTerminated()
          .withExitCode(end.exitCode())
          .withReason(end.reason())
          .withMessage(end.message())
          .withStartedAt(seconds(end.startedAt()))
          .withFinishedAt(seconds(end.finishedAt()))
          .endTerminated();
    }
    return state.build();
  }

  private static @Nullable String seconds(@Nullable Instant moment) {
    return moment == null ? null : moment.truncatedTo(ChronoUnit.SECONDS).toString();
  }
}
