package dev.tensorstack.training.schedulers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tensorstack.training.controlplane.ControlPlane;
import java.time.Duration;
import java.util.stream.IntStream;

/** Pods of a gang, each of which asks for one CPU, in a namespace of their own. */
final class GangPods {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final ControlPlane plane;
  private final String namespace;
  private final String pod;

  /**
   * Pods in a new namespace.
   *
   * @param metadata further fields of a pod's metadata, as YAML in one line; GROUP is replaced
   * @param scheduler the scheduler that shall bind them
   */
  GangPods(ControlPlane plane, String metadata, String scheduler) {
    this.plane = plane;
    this.namespace = plane.createNamespace("gang");
    this.pod =
        """
        apiVersion: v1
        kind: Pod
        metadata: {name: NAME, METADATA}
        spec:
          schedulerName: SCHEDULER
          restartPolicy: Never
          containers: [{name: c, image: "train:1", resources: {requests: {cpu: 1}}}]
        """
            .replace("METADATA", metadata)
            .replace("SCHEDULER", scheduler);
  }

  /** Creates objects in the namespace. */
  void create(String manifest) {
    plane.kubectlWithInput(manifest, "create", "-n", namespace, "-f", "-").orThrow();
  }

  /** Creates pods of a group: {@code <group>-0} and so on. */
  void createPods(String group, int count) {
    IntStream.range(0, count)
        .forEach(index -> create(pod.replace("NAME", group + "-" + index).replace("GROUP", group)));
  }

  /** Waits until a pod is bound to a node. */
  void awaitBound(String name) {
    await(name + " is bound").atMost(PATIENCE).until(() -> !node(name).isEmpty());
  }

  /** Insists that pods of a group have no node. */
  void assertUnbound(String group, int count) {
    IntStream.range(0, count)
        .forEach(index -> assertThat(node(group + "-" + index)).as(group + "-" + index).isEmpty());
  }

  private String node(String name) {
    return get(name, ".spec.nodeName");
  }

  private String get(String name, String path) {
    return plane
        .kubectl("get", "pod", name, "-n", namespace, "-o", "jsonpath={" + path + "}")
        .orThrow();
  }
}
