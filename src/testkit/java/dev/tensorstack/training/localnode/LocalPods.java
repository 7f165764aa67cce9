package dev.tensorstack.training.localnode;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodConditionBuilder;
import io.fabric8.kubernetes.api.model.PodSpecBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The pods of one test class: made for one node, in one namespace. */
final class LocalPods {
  /** How long tests wait for something that takes no time on an idle machine. */
  static final Duration PATIENCE = Duration.ofSeconds(60);

  private final KubernetesClient client;
  private final String namespace;
  private final String node;

  /**
   * Pods for a node.
   *
   * @param client an administrator
   * @param namespace an existing namespace
   * @param node the Node's name
   */
  LocalPods(KubernetesClient client, String namespace, String node) {
    this.client = client;
    this.namespace = namespace;
    this.node = node;
  }

  String namespace() {
    return namespace;
  }

  /**
   * Creates a pod with one container, {@code main}, that does nothing, and no restarts.
   *
   * @param name the pod's name
   * @param change what is different about this pod
   * @return the pod as it was created
   */
  Pod create(String name, UnaryOperator<PodSpecBuilder> change) {
    PodSpecBuilder spec =
        new PodSpecBuilder()
            .withRestartPolicy("Never")
            .addToNodeSelector("kubernetes.io/hostname", node)
            .withContainers(container("main", null, "true"));
    Pod pod =
        new PodBuilder()
            .withNewMetadata()
            .withName(name)
            .endMetadata()
            .withSpec(change.apply(spec).build())
            .build();
    return client.pods().inNamespace(namespace).resource(pod).create();
  }

  /**
   * A container that runs a shell script.
   *
   * @param name the container's name
   * @param volume a volume that it sees at a path of the same name; null for none
   * @param script the script
   * @return the container
   */
  Container container(String name, @Nullable String volume, String script) {
    ContainerBuilder container =
        new ContainerBuilder().withName(name).withImage("any").withCommand("sh", "-c", script);
    if (volume != null) {
      container.addNewVolumeMount().withName(volume).withMountPath("/" + volume).endVolumeMount();
    }
    return container.build();
  }

  /** Lets a pod's first container sleep. */
  PodSpecBuilder sleeping(PodSpecBuilder pod) {
    return pod.editFirstContainer().withCommand("sleep", "inf").endContainer();
  }

  /** Waits until a pod looks as wanted, and returns it. */
  Pod await(String name, Predicate<Pod> wanted) {
    return client
        .pods()
        .inNamespace(namespace)
        .withName(name)
        .waitUntilCondition(
            pod ->
                pod != null
                    && pod.getStatus().getContainerStatuses().size()
                        == pod.getSpec().getContainers().size()
                    && wanted.test(pod),
            PATIENCE.toSeconds(),
            TimeUnit.SECONDS);
  }

  /** Waits for a phase, and returns the pod. */
  Pod awaitPhase(String name, String phase) {
    return await(name, pod -> phase.equals(pod.getStatus().getPhase()));
  }

  /** Waits until container {@code main} waits for a reason, and returns the pod. */
  Pod awaitWaiting(String name, String reason) {
    return await(
        name,
        pod -> {
          var waiting = status(pod, "main").getState().getWaiting();
          return waiting != null && reason.equals(waiting.getReason());
        });
  }

  /** Waits until there is no pod of that name. */
  void awaitGone(String name) {
    client
        .pods()
        .inNamespace(namespace)
        .withName(name)
        .waitUntilCondition(pod -> pod == null, PATIENCE.toSeconds(), TimeUnit.SECONDS);
  }

  /** The status of one container. */
  ContainerStatus status(Pod pod, String container) {
    return pod.getStatus().getContainerStatuses().stream()
        .filter(status -> status.getName().equals(container))
        .findFirst()
        .orElseThrow();
  }

  /** A condition of a pod, one without a status when there is none of the type. */
  PodCondition condition(Pod pod, String type) {
    return pod.getStatus().getConditions().stream()
        .filter(condition -> condition.getType().equals(type))
        .findFirst()
        .orElseGet(() -> new PodConditionBuilder().withStatus("none").build());
  }

  /** The whole log of a container, through the API server. */
  String logs(String pod, String container) {
    return client.pods().inNamespace(namespace).withName(pod).inContainer(container).getLog();
  }
}
