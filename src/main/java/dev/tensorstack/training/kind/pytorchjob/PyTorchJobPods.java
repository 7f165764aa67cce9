package dev.tensorstack.training.kind.pytorchjob;

import static java.util.Objects.requireNonNullElse;

import dev.tensorstack.training.core.model.PodContext;
import dev.tensorstack.training.core.model.PodShape;
import dev.tensorstack.training.core.naming.EnvironmentVariables;
import dev.tensorstack.training.core.naming.Ports;
import dev.tensorstack.training.kind.pytorchjob.spec.ProcessesPerNode;
import dev.tensorstack.training.kind.pytorchjob.spec.TrainingContainer;
import dev.tensorstack.training.kind.pytorchjob.v1.ElasticPolicy;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJobSpec;
import dev.tensorstack.training.kind.pytorchjob.v1.RdzvConf;
import dev.tensorstack.training.kind.pytorchjob.v1.ReplicaSpec;
import dev.tensorstack.training.kind.pytorchjob.v1.ReplicaType;
import dev.tensorstack.training.kind.pytorchjob.v1.RestartPolicy;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.EnvVarBuilder;
import io.fabric8.kubernetes.api.model.PodSpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a PyTorchJob's pods get, as Kubeflow's operator gives it: the restart policy of the replica,
 * torchrun's settings in the environment, and init containers that let workers wait for the
 * master's name in DNS.
 *
 * @param job the job's spec with all defaults
 * @param masterWait how workers wait for the master's name; null where they do not
 * @param startAnewTogether whether all pods start anew when one fails: then no kubelet starts one
 *     container again, which the others would not wait for
 */
public record PyTorchJobPods(
    PyTorchJobSpec job, @Nullable MasterWait masterWait, boolean startAnewTogether)
    implements PodShape {

  @Override
  public void shape(PodContext place, PodSpec pod) {
    ReplicaType type =
        place.replica().type().equals(ReplicaType.Master.label())
            ? ReplicaType.Master
            : ReplicaType.Worker;
    pod.setRestartPolicy(
        startAnewTogether ? RestartPolicy.Never.name() : restartPolicy(job.replicas(type)));
    for (Container container : pod.getContainers()) {
      if (TrainingContainer.NAME.equals(container.getName())
          && container.getTerminationMessagePolicy() == null) {
        // What the failed process said last is told on the job.
        container.setTerminationMessagePolicy("FallbackToLogsOnError");
      }
    }
    List<Container> initContainers = new ArrayList<>(pod.getInitContainers());
    Map<String, String> variables = variables(place, type);
    Stream.concat(initContainers.stream(), pod.getContainers().stream())
        .forEach(container -> append(container, variables));
    if (masterWait != null && type == ReplicaType.Worker && hasMaster()) {
      initContainers.addAll(masterWait.containers(place.masterAddress()));
    }
    pod.setInitContainers(initContainers);
  }

  private boolean hasMaster() {
    return job.replicas(ReplicaType.Master) != null;
  }

  /** The exit code decides in the operator, not in the kubelet. */
  private static String restartPolicy(@Nullable ReplicaSpec replicas) {
    String given = replicas == null ? null : replicas.restartPolicy();
    for (RestartPolicy policy : List.of(RestartPolicy.Always, RestartPolicy.OnFailure)) {
      if (policy.name().equals(given)) {
        return policy.name();
      }
    }
    return RestartPolicy.Never.name();
  }

  /** After the user's, so that the operator's value wins. */
  private static void append(Container container, Map<String, String> variables) {
    List<EnvVar> env = new ArrayList<>(requireNonNullElse(container.getEnv(), List.of()));
    variables.forEach(
        (name, value) -> env.add(new EnvVarBuilder().withName(name).withValue(value).build()));
    container.setEnv(env);
  }

  private Map<String, String> variables(PodContext place, ReplicaType type) {
    Map<String, String> variables = new LinkedHashMap<>();
    variables.put(EnvironmentVariables.PYTHONUNBUFFERED, "1");
    if (hasMaster()) {
      String port = Integer.toString(port(ReplicaType.Master));
      variables.put(EnvironmentVariables.MASTER_PORT, port);
      variables.put(EnvironmentVariables.PET_MASTER_PORT, port);
      variables.put(EnvironmentVariables.MASTER_ADDR, place.masterAddress());
      variables.put(EnvironmentVariables.PET_MASTER_ADDR, place.masterAddress());
      variables.put(EnvironmentVariables.WORLD_SIZE, Long.toString(worldSize(place.size())));
      String rank = Integer.toString(type == ReplicaType.Master ? 0 : place.replica().index() + 1);
      variables.put(EnvironmentVariables.RANK, rank);
      variables.put(EnvironmentVariables.PET_NODE_RANK, rank);
    }
    variables.put("PET_NPROC_PER_NODE", ProcessesPerNode.of(job));
    if (job.elasticPolicy() == null) {
      variables.put(EnvironmentVariables.PET_NNODES, Integer.toString(place.size()));
    } else {
      putElastic(variables, place, job.elasticPolicy());
    }
    return variables;
  }

  private void putElastic(Map<String, String> variables, PodContext place, ElasticPolicy elastic) {
    String host =
        elastic.rdzvHost() == null
            ? place.names().address(ReplicaType.Worker.label(), 0)
            : elastic.rdzvHost();
    int port = elastic.rdzvPort() == null ? port(ReplicaType.Worker) : elastic.rdzvPort();
    variables.put("PET_RDZV_ENDPOINT", host + ":" + port);
    put(variables, "PET_RDZV_BACKEND", elastic.rdzvBackend());
    variables.put(
        EnvironmentVariables.PET_NNODES, elastic.minReplicas() + ":" + elastic.maxReplicas());
    put(variables, "PET_MAX_RESTARTS", elastic.maxRestarts());
    put(variables, "PET_RDZV_ID", elastic.rdzvId());
    if (elastic.rdzvConf() != null) {
      variables.put("PET_RDZV_CONF", settings(elastic.rdzvConf()));
    }
    if (Boolean.TRUE.equals(elastic.standalone())) {
      variables.put("PET_STANDALONE", "");
    }
  }

  private static void put(Map<String, String> variables, String name, @Nullable Object value) {
    if (value != null) {
      variables.put(name, value.toString());
    }
  }

  private static String settings(List<RdzvConf> settings) {
    return settings.stream()
        .filter(Objects::nonNull)
        .map(one -> one.key() + "=" + one.value())
        .collect(Collectors.joining(","));
  }

  /** The port at which the replicas of a type are met; completed in each template. */
  private int port(ReplicaType type) {
    ReplicaSpec replicas = job.replicas(type);
    Container training = replicas == null ? null : TrainingContainer.of(replicas.template());
    return training == null
        ? Ports.MASTER
        : training.getPorts().stream()
            .filter(port -> TrainingContainer.PORT_NAME.equals(port.getName()))
            .map(ContainerPort::getContainerPort)
            .filter(Objects::nonNull)
            .findFirst()
            .orElse(Ports.MASTER);
  }

  private long worldSize(int nodes) {
    String processes = ProcessesPerNode.of(job);
    return processes.matches("\\d{1,9}") ? nodes * Long.parseLong(processes) : nodes;
  }
}
