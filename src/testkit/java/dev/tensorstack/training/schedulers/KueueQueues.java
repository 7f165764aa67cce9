package dev.tensorstack.training.schedulers;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tensorstack.training.controlplane.ControlPlane;
import io.fabric8.kubernetes.api.model.Quantity;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.awaitility.Awaitility;

/** Makes the queues of Kueue and reads what they hold; API version v1beta2. */
public final class KueueQueues {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private final ControlPlane plane;

  KueueQueues(ControlPlane plane) {
    this.plane = plane;
  }

  /**
   * Makes a ResourceFlavor that fits all nodes, unless it is there.
   *
   * @param name its name
   */
  public void flavor(String name) {
    Manifests.apply(
        plane,
        "{apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: {name: %s}}"
            .formatted(name));
  }

  /**
   * Makes a ClusterQueue with one flavor, which is made as well, or gives it other quotas; then
   * waits until it is active.
   *
   * @param name its name
   * @param quotas how much of each resource it has; a workload that asks for any other resource is
   *     never admitted
   */
  public void clusterQueue(String name, Map<String, String> quotas) {
    clusterQueue(name, "default-flavor", quotas, "{}");
  }

  /**
   * Makes a ClusterQueue with one flavor, which is made as well, or gives it other quotas; then
   * waits until it is active.
   *
   * @param name its name
   * @param flavor the name of its ResourceFlavor
   * @param quotas how much of each resource it has
   * @param moreSpec further fields of its spec as YAML, for example {@code {preemption:
   *     {withinClusterQueue: LowerPriority}}}
   */
  public void clusterQueue(
      String name, String flavor, Map<String, String> quotas, String moreSpec) {
    flavor(flavor);
    ObjectNode queue =
        Manifests.parse(
            """
            apiVersion: kueue.x-k8s.io/v1beta2
            kind: ClusterQueue
            metadata: {name: %s}
            spec:
              namespaceSelector: {}
              resourceGroups:
              - coveredResources: []
                flavors:
                - {name: %s, resources: []}
            """
                .formatted(name, flavor));
    ObjectNode spec = (ObjectNode) queue.path("spec");
    JsonNode group = spec.path("resourceGroups").path(0);
    ArrayNode covered = (ArrayNode) group.path("coveredResources");
    ArrayNode resources = (ArrayNode) group.path("flavors").path(0).path("resources");
    new TreeMap<>(quotas)
        .forEach(
            (resource, quota) -> {
              covered.add(resource);
              resources.addObject().put("name", resource).put("nominalQuota", quota);
            });
    spec.setAll(Manifests.parse(moreSpec));
    Manifests.apply(plane, queue.toString());
    awaitActive("clusterqueue", "", name);
  }

  /**
   * Makes a LocalQueue and waits until it is active.
   *
   * @param namespace where
   * @param name its name, which jobs have in the label {@code kueue.x-k8s.io/queue-name}
   * @param clusterQueue to which it leads
   */
  public void localQueue(String namespace, String name, String clusterQueue) {
    Manifests.apply(
        plane,
        """
        apiVersion: kueue.x-k8s.io/v1beta2
        kind: LocalQueue
        metadata: {name: %s, namespace: %s}
        spec: {clusterQueue: %s}
        """
            .formatted(name, namespace, clusterQueue));
    awaitActive("localqueue", namespace, name);
  }

  /**
   * Reads what a ClusterQueue holds.
   *
   * @param clusterQueue its name; it exists
   */
  public QueueUsage usage(String clusterQueue) {
    JsonNode status = get("clusterqueue", "", clusterQueue).path("status");
    return new QueueUsage(
        status.path("pendingWorkloads").asInt(),
        status.path("reservingWorkloads").asInt(),
        status.path("admittedWorkloads").asInt(),
        sum(status.path("flavorsReservation")),
        sum(status.path("flavorsUsage")));
  }

  private static Map<String, Quantity> sum(JsonNode flavors) {
    Map<String, BigDecimal> amounts = new TreeMap<>();
    for (JsonNode flavor : flavors) {
      for (JsonNode resource : flavor.path("resources")) {
        amounts.merge(
            resource.path("name").asText(),
            new Quantity(resource.path("total").asText("0")).getNumericalAmount(),
            BigDecimal::add);
      }
    }
    Map<String, Quantity> quantities = new TreeMap<>();
    amounts.forEach(
        (name, amount) -> quantities.put(name, Quantity.fromNumericalAmount(amount, null)));
    return quantities;
  }

  private void awaitActive(String kind, String namespace, String name) {
    Awaitility.await(kind + " " + name + " is active")
        .atMost(LIMIT)
        .pollDelay(Duration.ZERO)
        .until(() -> isActive(get(kind, namespace, name)));
  }

  private static boolean isActive(JsonNode queue) {
    for (JsonNode condition : queue.path("status").path("conditions")) {
      if (condition.path("type").asText().equals("Active")) {
        return condition.path("status").asText().equals("True");
      }
    }
    return false;
  }

  private JsonNode get(String kind, String namespace, String name) {
    String path =
        "/apis/kueue.x-k8s.io/v1beta2/"
            + (namespace.isEmpty() ? "" : "namespaces/" + namespace + "/")
            + (kind + "s/" + name);
    String answer = plane.client().raw(path);
    if (answer == null) {
      throw new IllegalStateException("there is no " + kind + " " + name);
    }
    return Manifests.parse(answer);
  }
}
