package dev.tensorstack.training.localnode;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Drives the containers of one pod: what has to be started next, and what the pod's phase is. Used
 * by the pod's own thread.
 */
final class PodContainers {
  /** How long something that is missing is waited for before it is looked for again. */
  private static final Duration RETRY = Duration.ofSeconds(1);

  private final Pod pod;
  private final NodeContext node;
  private final Runnable changed;
  private final String restartPolicy;
  private final ContainerPlan plan;
  private final List<ContainerRun> runs = new ArrayList<>();
  private @Nullable Map<String, Path> volumes;
  private Instant wakeAt = Instant.MAX;

  /**
   * Containers that have not been started.
   *
   * @param pod the pod
   * @param node the node
   * @param changed called from other threads when a container has changed
   */
  PodContainers(Pod pod, NodeContext node, Runnable changed) {
    this.pod = pod;
    this.node = node;
    this.changed = changed;
    String policy = pod.getSpec().getRestartPolicy();
    this.restartPolicy = policy == null ? "Always" : policy;
    this.plan =
        new ContainerPlan(pod, node.options(), node.addresses(), node.directory(), node.objects());
    List<Container> init = pod.getSpec().getInitContainers();
    for (Container container : init) {
      boolean sidecar = "Always".equals(container.getRestartPolicy());
      ContainerRun.Kind kind = sidecar ? ContainerRun.Kind.SIDECAR : ContainerRun.Kind.INIT;
      runs.add(new ContainerRun(container, kind, "PodInitializing"));
    }
    String reason = init.isEmpty() ? "ContainerCreating" : "PodInitializing";
    for (Container container : pod.getSpec().getContainers()) {
      runs.add(new ContainerRun(container, ContainerRun.Kind.MAIN, reason));
    }
  }

  /**
   * The containers.
   *
   * @return all, init containers first
   */
  List<ContainerRun> runs() {
    return runs;
  }

  /**
   * Takes over a pod that an earlier life of the node had started: its processes are gone, so every
   * container that was running has failed.
   */
  void adopt() {
    Stream<ContainerStatus> statuses =
        Stream.concat(
            pod.getStatus().getInitContainerStatuses().stream(),
            pod.getStatus().getContainerStatuses().stream());
    Map<String, ContainerStatus> byName = new HashMap<>();
    statuses.forEach(status -> byName.put(status.getName(), status));
    for (ContainerRun run : runs) {
      ContainerStatus status = byName.get(run.container().getName());
      if (status != null) {
        run.adopt(status);
      }
    }
  }

  /** Looks which processes have ended. */
  void refresh() {
    runs.forEach(ContainerRun::refresh);
  }

  /**
   * Starts what has to be started now.
   *
   * @return when to look again even if nothing changes, {@link Instant#MAX} for never
   */
  Instant drive() {
    wakeAt = Instant.MAX;
    if (!prepareVolumes() || !driveInit()) {
      return wakeAt;
    }
    for (ContainerRun run : main()) {
      if (!run.running() && wantsStart(run)) {
        start(run);
      }
    }
    return wakeAt;
  }

  /**
   * How the pod has ended.
   *
   * @return {@code Succeeded} or {@code Failed}; null while something runs or will run
   */
  @Nullable String result() {
    for (ContainerRun run : runs) {
      ContainerPhase.Terminated end = run.ended();
      boolean failed = end != null && end.exitCode() != 0;
      if (run.kind() == ContainerRun.Kind.INIT && failed && restartPolicy.equals("Never")) {
        return "Failed";
      }
    }
    boolean over = main().stream().allMatch(run -> run.ended() != null && !restarts(run));
    return over ? exitResult() : null;
  }

  /**
   * The result when nothing will be started any more.
   *
   * @return {@code Succeeded} if all containers ended with 0, else {@code Failed}
   */
  String exitResult() {
    boolean well = main().stream().allMatch(PodContainers::endedWell);
    return well ? "Succeeded" : "Failed";
  }

  /**
   * Whether the pod counts as running: its init containers are done and one container was started.
   *
   * @return false while the pod is pending
   */
  boolean started() {
    boolean initialized =
        runs.stream()
            .filter(run -> run.kind() == ContainerRun.Kind.INIT)
            .allMatch(PodContainers::endedWell);
    return initialized
        && main().stream()
            .allMatch(
                run -> !(run.phase() instanceof ContainerPhase.Waiting) || run.last() != null);
  }

  /**
   * Whether no process is left.
   *
   * @return true when nothing runs
   */
  boolean stopped() {
    return runs.stream().noneMatch(ContainerRun::running);
  }

  /**
   * Ends what runs: politely, and by force once the time is over.
   *
   * @param forceAt when to kill
   */
  void stop(Instant forceAt) {
    boolean force = !Instant.now().isBefore(forceAt);
    for (ContainerRun run : runs) {
      if (run.running()) {
        run.terminate();
        if (force) {
          run.kill();
        }
      }
    }
  }

  /** Marks containers that were never started as ones that never will be. */
  void giveUp() {
    for (ContainerRun run : main()) {
      ContainerPhase.Terminated last = run.last();
      if (run.phase() instanceof ContainerPhase.Waiting && last == null) {
        run.lost();
      }
    }
  }

  private List<ContainerRun> main() {
    return runs.stream().filter(run -> run.kind() == ContainerRun.Kind.MAIN).toList();
  }

  private boolean prepareVolumes() {
    if (volumes != null) {
      return true;
    }
    try {
      DownwardApi downward =
          new DownwardApi(pod, node.addresses().addressOf(pod), node.options().capacity());
      volumes = new PodVolumes(pod, node.directory(), node.objects(), downward).prepare();
      return true;
    } catch (ContainerConfigException e) {
      boolean init = runs.get(0).kind() != ContainerRun.Kind.MAIN;
      main().forEach(run -> run.waits(init ? "PodInitializing" : e.reason(), e.explanation()));
    } catch (KubernetesClientException e) {
      main().forEach(run -> run.waits("ContainerCreating", e.getMessage()));
    }
    enqueue(Instant.now().plus(RETRY));
    return false;
  }

  /** True when all init containers are done. */
  private boolean driveInit() {
    for (ContainerRun run : runs) {
      if (run.kind() == ContainerRun.Kind.MAIN) {
        return true;
      }
      if (!endedWell(run) && !run.running() && wantsStart(run)) {
        start(run);
      }
      boolean done = run.kind() == ContainerRun.Kind.SIDECAR ? run.running() : endedWell(run);
      boolean neededFirst = main().stream().noneMatch(m -> m.running() || m.last() != null);
      if (!done && (neededFirst || run.kind() == ContainerRun.Kind.INIT)) {
        return false;
      }
    }
    return true;
  }

  private static boolean endedWell(ContainerRun run) {
    ContainerPhase.Terminated end = run.ended();
    return end != null && end.exitCode() == 0;
  }

  /** Whether a container that has ended is started again. */
  private boolean restarts(ContainerRun run) {
    return switch (run.kind()) {
      case SIDECAR -> true;
      case INIT -> !endedWell(run) && !restartPolicy.equals("Never");
      case MAIN ->
          restartPolicy.equals("Always") || restartPolicy.equals("OnFailure") && !endedWell(run);
    };
  }

  private boolean wantsStart(ContainerRun run) {
    if (run.ended() != null) {
      if (!restarts(run)) {
        return false;
      }
      run.backOff(node.options().restartDelay());
    }
    if (Instant.now().isBefore(run.notBefore())) {
      enqueue(run.notBefore());
      return false;
    }
    return true;
  }

  private void start(ContainerRun run) {
    Container container = run.container();
    if (!node.options().canPull(container.getImage())) {
      boolean again =
          run.phase() instanceof ContainerPhase.Waiting w && w.reason().contains("Pull");
      String image = "\"" + container.getImage() + "\"";
      run.waits(
          again ? "ImagePullBackOff" : "ErrImagePull",
          again
              ? "Back-off pulling image " + image
              : "failed to pull and unpack image " + image + ": not found");
      enqueue(Instant.now().plus(RETRY));
      return;
    }
    Map<String, Path> prepared = volumes == null ? Map.of() : volumes;
    String uid = pod.getMetadata().getUid();
    try {
      ProcessSpec spec = plan.resolve(container, prepared);
      Path own = node.directory().inPod(uid, "c", container.getName());
      run.start(spec, own, uid, node.addresses().addressOf(pod), changed);
      if (run.ended() != null) {
        enqueue(Instant.now());
      }
    } catch (ContainerConfigException e) {
      run.waits(e.reason(), e.explanation());
      enqueue(Instant.now().plus(RETRY));
    } catch (KubernetesClientException e) {
      run.waits("CreateContainerConfigError", e.getMessage());
      enqueue(Instant.now().plus(RETRY));
    }
  }

  private void enqueue(Instant at) {
    wakeAt = at.isBefore(wakeAt) ? at : wakeAt;
  }
}
