package dev.tensorstack.training.schedulers;

import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.controlplane.ControlPlaneBinaries;
import dev.tensorstack.training.controlplane.LoopbackPorts;
import dev.tensorstack.training.controlplane.Tool;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;

/**
 * The running coscheduling of scheduler-plugins beside a control plane: a second scheduler, for
 * pods whose {@code schedulerName} is {@value #SCHEDULER}, and the controller of PodGroups, with
 * the CRDs. All of it listens on 127.0.0.1 only.
 *
 * <p>The logs are {@code coscheduling-scheduler.log} and {@code coscheduling-controller.log} in the
 * folder of the control plane. After {@link #close()} the objects are still there, and it may be
 * started again.
 */
public final class Coscheduling implements AutoCloseable {
  /** What pods say that it shall bind. */
  public static final String SCHEDULER = "scheduler-plugins-scheduler";

  private static final String NAMESPACE = "scheduler-plugins";

  private final SchedulerProcess controller;
  private final SchedulerProcess scheduler;

  private Coscheduling(SchedulerProcess controller, SchedulerProcess scheduler) {
    this.controller = controller;
    this.scheduler = scheduler;
  }

  /** How long the scheduler lets pods alone that it could not place. */
  private enum Delays {
    /** As it does it by itself: up to 10 seconds, and 5 minutes when nothing wakes them. */
    USUAL("podMaxBackoffSeconds: 10", List.of()),

    /** For tests that wait for nothing else. */
    SHORT("podMaxBackoffSeconds: 2", List.of("--pod-max-in-unschedulable-pods-duration=10s"));

    private final String backoff;
    private final List<String> flags;

    Delays(String backoff, List<String> flags) {
      this.backoff = backoff;
      this.flags = flags;
    }
  }

  /**
   * Starts both programs, with short delays, and waits until they are ready. Provides them first,
   * which takes minutes on a new machine.
   *
   * @param plane where; they may have run there before, but do not run now
   * @return what is to be closed before the control plane is
   * @throws IllegalStateException when one does not get ready; carries the end of its log
   */
  public static Coscheduling start(ControlPlane plane) {
    return start(plane, Delays.SHORT);
  }

  /**
   * The same with the delays that the scheduler has when nobody sets them: a pod that nothing wakes
   * is tried again after five minutes.
   *
   * @param plane where; they may have run there before, but do not run now
   * @return what is to be closed before the control plane is
   * @throws IllegalStateException when one does not get ready; carries the end of its log
   */
  public static Coscheduling startWithUsualDelays(ControlPlane plane) {
    return start(plane, Delays.USUAL);
  }

  private static Coscheduling start(ControlPlane plane, Delays delays) {
    ControlPlaneBinaries binaries =
        ControlPlaneBinaries.provide(
            EnumSet.of(Tool.COSCHEDULING_SCHEDULER, Tool.COSCHEDULING_CONTROLLER));
    Manifests.install(
        plane, Manifests.read(binaries.manifests(Tool.COSCHEDULING_SCHEDULER)).crds());
    Path kubeconfig = SchedulerAccount.provide(plane, NAMESPACE, "coscheduling");
    Path folder = plane.directory().resolve("coscheduling");
    try {
      Files.createDirectories(folder);
      Files.writeString(folder.resolve("scheduler.yaml"), configuration(kubeconfig, delays));
    } catch (IOException problem) {
      throw new UncheckedIOException(problem);
    }
    int controllerHealth = LoopbackPorts.next();
    int schedulerPort = LoopbackPorts.next();
    SchedulerProcess controller =
        SchedulerProcess.start(
            plane,
            Tool.COSCHEDULING_CONTROLLER.program(),
            List.of(
                binaries.binary(Tool.COSCHEDULING_CONTROLLER).toString(),
                "--metricsAddr=0",
                "--probeAddr=127.0.0.1:" + controllerHealth,
                "--qps=200",
                "--burst=300",
                "--enableLeaderElection=false"),
            folder,
            kubeconfig);
    List<String> command =
        new ArrayList<>(
            List.of(
                binaries.binary(Tool.COSCHEDULING_SCHEDULER).toString(),
                "--config=scheduler.yaml",
                "--bind-address=127.0.0.1",
                "--secure-port=" + schedulerPort,
                "--tls-cert-file=" + plane.servingCertificate(),
                "--tls-private-key-file=" + plane.servingKey()));
    command.addAll(delays.flags);
    SchedulerProcess scheduler =
        SchedulerProcess.start(
            plane, Tool.COSCHEDULING_SCHEDULER.program(), command, folder, kubeconfig);
    Coscheduling coscheduling = new Coscheduling(controller, scheduler);
    try {
      controller.awaitOk("http://127.0.0.1:" + controllerHealth + "/readyz");
      scheduler.awaitOk("https://127.0.0.1:" + schedulerPort + "/readyz");
    } catch (RuntimeException problem) {
      coscheduling.close();
      throw problem;
    }
    return coscheduling;
  }

  private static String configuration(Path kubeconfig, Delays delays) {
    return """
    apiVersion: kubescheduler.config.k8s.io/v1
    kind: KubeSchedulerConfiguration
    leaderElection: {leaderElect: false}
    clientConnection: {kubeconfig: "%s", qps: 200, burst: 300}
    podInitialBackoffSeconds: 1
    %s
    profiles:
    - schedulerName: %s
      plugins:
        multiPoint: {enabled: [{name: Coscheduling}]}
        queueSort: {enabled: [{name: Coscheduling}], disabled: [{name: "*"}]}
      pluginConfig:
      - name: Coscheduling
        args: {permitWaitingTimeSeconds: 10}
    """
        .formatted(kubeconfig, delays.backoff, SCHEDULER);
  }

  /** Whether both programs run. */
  public boolean isRunning() {
    return scheduler.isAlive() && controller.isAlive();
  }

  /** Stops both programs; may be called again. */
  @Override
  public void close() {
    scheduler.stop();
    controller.stop();
  }
}
