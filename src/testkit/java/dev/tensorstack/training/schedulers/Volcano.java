package dev.tensorstack.training.schedulers;

import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.controlplane.ControlPlaneBinaries;
import dev.tensorstack.training.controlplane.LoopbackPorts;
import dev.tensorstack.training.controlplane.Tool;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;

/**
 * A running Volcano beside a control plane: its scheduler, for pods whose {@code schedulerName} is
 * {@value #SCHEDULER}, and its controllers of queues and PodGroups, with its CRDs. Its webhooks do
 * not run, nor do the controllers of its own jobs. All of it listens on 127.0.0.1 only.
 *
 * <p>The logs are {@code vc-scheduler.log} and {@code vc-controller-manager.log} in the folder of
 * the control plane. After {@link #close()} its objects are still there, and it may be started
 * again.
 */
public final class Volcano implements AutoCloseable {
  /** What pods say that it shall bind. */
  public static final String SCHEDULER = "volcano";

  /** The configuration that its chart has. */
  public static final String USUAL =
      """
      actions: "enqueue, allocate, backfill"
      tiers:
      - plugins:
        - name: priority
        - name: gang
          enablePreemptable: false
        - name: conformance
      - plugins:
        - name: overcommit
        - name: drf
          enablePreemptable: false
        - name: predicates
        - name: proportion
        - name: nodeorder
        - name: binpack
      """;

  private static final String NAMESPACE = "volcano-system";

  private final SchedulerProcess controllers;
  private final SchedulerProcess scheduler;

  private Volcano(SchedulerProcess controllers, SchedulerProcess scheduler) {
    this.controllers = controllers;
    this.scheduler = scheduler;
  }

  /**
   * Starts it with {@link #USUAL} and waits until its queue {@code default} is open.
   *
   * @param plane where; Volcano may have run there before, but does not run now
   * @return what is to be closed before the control plane is
   * @throws IllegalStateException when it does not get ready; carries the end of a log
   */
  public static Volcano start(ControlPlane plane) {
    return start(plane, USUAL);
  }

  /**
   * Starts it and waits until its queue {@code default} is open. Provides the programs first, which
   * takes minutes on a new machine.
   *
   * @param plane where; Volcano may have run there before, but does not run now
   * @param configuration of the scheduler, as in {@code volcano-scheduler.conf}
   * @return what is to be closed before the control plane is
   * @throws IllegalStateException when it does not get ready; carries the end of a log
   */
  public static Volcano start(ControlPlane plane, String configuration) {
    ControlPlaneBinaries binaries =
        ControlPlaneBinaries.provide(EnumSet.of(Tool.VOLCANO_SCHEDULER, Tool.VOLCANO_CONTROLLERS));
    Manifests.install(plane, Manifests.read(binaries.manifests(Tool.VOLCANO_SCHEDULER)).crds());
    Path kubeconfig = SchedulerAccount.provide(plane, NAMESPACE, "volcano");
    Path folder = plane.directory().resolve("volcano");
    Path file = folder.resolve("configuration").resolve("volcano-scheduler.conf");
    try {
      // With nothing beside it: the scheduler reads it again whenever its folder changes.
      Files.createDirectories(folder.resolve("configuration"));
      Files.writeString(file, configuration);
    } catch (IOException problem) {
      throw new UncheckedIOException(problem);
    }
    int controllersHealth = LoopbackPorts.next();
    int schedulerHealth = LoopbackPorts.next();
    SchedulerProcess controllers =
        SchedulerProcess.start(
            plane,
            Tool.VOLCANO_CONTROLLERS.program(),
            List.of(
                binaries.binary(Tool.VOLCANO_CONTROLLERS).toString(),
                "--kubeconfig=" + kubeconfig,
                "--leader-elect=false",
                "--enable-healthz=true",
                "--healthz-address=127.0.0.1:" + controllersHealth,
                "--kube-api-qps=200",
                "--kube-api-burst=300",
                // The others are for its own jobs, and want more CRDs.
                "--controllers=queue-controller,pg-controller"),
            folder,
            kubeconfig);
    SchedulerProcess scheduler =
        SchedulerProcess.start(
            plane,
            Tool.VOLCANO_SCHEDULER.program(),
            List.of(
                binaries.binary(Tool.VOLCANO_SCHEDULER).toString(),
                "--kubeconfig=" + kubeconfig,
                "--leader-elect=false",
                "--enable-healthz=true",
                "--healthz-address=127.0.0.1:" + schedulerHealth,
                "--cache-dumper=false",
                "--schedule-period=500ms",
                "--scheduler-conf=" + file),
            folder,
            kubeconfig);
    Volcano volcano = new Volcano(controllers, scheduler);
    try {
      controllers.awaitOk("http://127.0.0.1:" + controllersHealth + "/healthz");
      scheduler.awaitOk("http://127.0.0.1:" + schedulerHealth + "/healthz");
      controllers.await("opening queues", () -> defaultQueueIsOpen(plane));
    } catch (RuntimeException problem) {
      volcano.close();
      throw problem;
    }
    return volcano;
  }

  private static boolean defaultQueueIsOpen(ControlPlane plane) {
    return plane
        .kubectl("get", "queues.scheduling.volcano.sh", "default", "-o", "jsonpath={.status.state}")
        .stdout()
        .equals("Open");
  }

  /** Whether both programs run. */
  public boolean isRunning() {
    return scheduler.isAlive() && controllers.isAlive();
  }

  /** Stops both programs; may be called again. */
  @Override
  public void close() {
    scheduler.stop();
    controllers.stop();
  }
}
