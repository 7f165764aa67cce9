package dev.tensorstack.training.core.pod;

import dev.tensorstack.training.core.model.DebugStart;
import dev.tensorstack.training.core.model.JobTraits;
import dev.tensorstack.training.core.model.PodContext;
import dev.tensorstack.training.core.model.PodShape;
import dev.tensorstack.training.core.model.ResumeStart;
import dev.tensorstack.training.core.model.RunModeKind;
import dev.tensorstack.training.core.model.ServiceLayout;
import dev.tensorstack.training.core.model.SuccessCriterion;
import dev.tensorstack.training.core.model.Torchrun;
import dev.tensorstack.training.core.policy.JobPorts;
import dev.tensorstack.training.core.policy.ProcessesPerNode;
import dev.tensorstack.training.core.policy.TrainingContainer;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.ContainerPortBuilder;
import io.fabric8.kubernetes.api.model.PodSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * Pods that the operator starts again, each under a new name and with the replica's host name, and
 * whose training container is started through torchrun where the job says so.
 */
public final class TorchrunPods implements PodShape {

  /** A kind of such pods, in which the others depend on the master, for success and failure. */
  public static final JobTraits WITH_MASTER =
      new JobTraits(
          SuccessCriterion.MASTER,
          true,
          false,
          ServiceLayout.ONE_FOR_ALL_PODS,
          false,
          false,
          "python",
          false,
          "runMode.pause.enabled",
          new TorchrunPods());

  private TorchrunPods() {}

  @Override
  public void shape(PodContext place, PodSpec pod) {
    pod.setRestartPolicy("Never");
    pod.setHostname(place.names().hostName(place.replica().type(), place.replica().index()));
    pod.setSubdomain(place.names().service());
    PodEnvironment.Start start =
        PodEnvironment.Start.of(
            place.spec().torchrun() != null,
            place.spec().elastic() != null,
            place.mode() == RunModeKind.DEBUG);
    PodEnvironment environment = PodEnvironment.of(place, start);
    Stream.of(pod.getInitContainers(), pod.getContainers())
        .flatMap(List::stream)
        .forEach(environment::addTo);
    Container training =
        pod.getContainers()
            .get(
                TrainingContainer.indexIn(
                    pod.getContainers(), place.spec().traits().trainingContainer()));
    if (place.mode() != RunModeKind.DEBUG && training.getTerminationMessagePolicy() == null) {
      // What the failed process said last is told on the job (TerminationMessage).
      training.setTerminationMessagePolicy("FallbackToLogsOnError");
    }
    if (place.replica().equals(place.master()) && JobPorts.onNodeNetwork(place.spec())) {
      declare(JobPorts.of(place.uid(), place.spec()), training);
    }
    switch (place.mode()) {
      case DEBUG -> debug(pod, training, place.type().debug());
      case RESUME -> resume(pod, training, place.type().resume());
      case TRAIN -> {}
    }
    Torchrun torchrun = place.spec().torchrun();
    if (start != PodEnvironment.Start.DIRECT && torchrun != null) {
      startThrough(torchrun, training, place);
    }
  }

  /** On a node's network the scheduler keeps declared ports of two pods on two nodes. */
  private static void declare(JobPorts ports, Container training) {
    List<ContainerPort> declared =
        new ArrayList<>(Objects.requireNonNullElse(training.getPorts(), List.of()));
    for (int port : List.of(ports.master(), ports.rendezvous())) {
      if (declared.stream().noneMatch(known -> Objects.equals(port, known.getContainerPort()))) {
        declared.add(new ContainerPortBuilder().withContainerPort(port).withHostPort(port).build());
      }
    }
    training.setPorts(declared);
  }

  private static void startThrough(Torchrun torchrun, Container training, PodContext place) {
    TorchrunCommand command =
        new TorchrunCommand(
            place.nodes(),
            ProcessesPerNode.resolve(torchrun.processesPerNode(), training, place.accelerators()),
            torchrun.backend(),
            place.masterAddress(),
            JobPorts.of(place.uid(), place.spec()).rendezvous(),
            place.uid() + "-" + place.attempt(),
            place.replica().equals(place.master()),
            place.rank(),
            place.spec().elastic() != null,
            torchrun.maxRestarts(),
            place.replica().type(),
            torchrun.extraOptions());
    List<String> args = new ArrayList<>(command.options());
    args.addAll(TorchrunCommand.script(training.getCommand(), training.getArgs()));
    training.setCommand(List.of("torchrun"));
    training.setArgs(args);
  }

  private static void debug(PodSpec pod, Container training, DebugStart start) {
    training.setCommand(start.command());
    training.setArgs(List.of());
    training.setLivenessProbe(null);
    training.setReadinessProbe(null);
    training.setStartupProbe(null);
    if (start.skipInitContainers()) {
      pod.setInitContainers(List.of());
    }
  }

  private static void resume(PodSpec pod, Container training, ResumeStart start) {
    if (start.command() != null) {
      training.setCommand(start.command());
    }
    if (start.args() != null) {
      training.setArgs(start.args());
    }
    if (start.skipInitContainers()) {
      pod.setInitContainers(List.of());
    }
  }
}
