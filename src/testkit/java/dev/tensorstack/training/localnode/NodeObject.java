package dev.tensorstack.training.localnode;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.NodeCondition;
import io.fabric8.kubernetes.api.model.NodeConditionBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;

/** Describes a local node to the API server. A pure function. */
final class NodeObject {
  private NodeObject() {}

  /**
   * The Node with its status.
   *
   * @param options name, labels and capacity
   * @param port the log server's port
   * @param since when the node became ready
   * @param now the time of the heartbeat
   * @return the Node
   */
  static Node of(LocalNodeOptions options, int port, Instant since, Instant now) {
    Map<String, String> labels = new LinkedHashMap<>();
    labels.put("kubernetes.io/hostname", options.name());
    labels.put("kubernetes.io/os", "linux");
    labels.put("kubernetes.io/arch", architecture());
    labels.putAll(options.labels());
    Map<String, Quantity> capacity = new LinkedHashMap<>();
    options.capacity().forEach((name, amount) -> capacity.put(name, new Quantity(amount)));
    return new NodeBuilder()
        .withNewMetadata()
        .withName(options.name())
        .withLabels(labels)
        .endMetadata()
        .withNewSpec()
        .endSpec()
        .withNewStatus()
        .withCapacity(capacity)
        .withAllocatable(capacity)
        // The API server asks the first address that it prefers, which is the host name.
        .addNewAddress("127.0.0.1", "InternalIP")
        .addNewAddress("127.0.0.1", "Hostname")
        .withNewDaemonEndpoints()
        .withNewKubeletEndpoint(port)
        .endDaemonEndpoints()
        .withNewNodeInfo()
        .withArchitecture(architecture())
        .withOperatingSystem("linux")
        .withOsImage(System.getProperty("os.name"))
        .withKernelVersion(System.getProperty("os.version"))
        .withContainerRuntimeVersion("local://1")
        .withKubeletVersion("local-node")
        .withKubeProxyVersion("")
        .withMachineID(options.name())
        .withSystemUUID(options.name())
        .withBootID(options.name())
        .endNodeInfo()
        .withConditions(
            condition("Ready", "True", "KubeletReady", since, now),
            condition("MemoryPressure", "False", "KubeletHasSufficientMemory", since, now),
            condition("DiskPressure", "False", "KubeletHasNoDiskPressure", since, now),
            condition("PIDPressure", "False", "KubeletHasSufficientPID", since, now))
        .endStatus()
        .build();
  }

  private static NodeCondition condition(
      String type, String status, String reason, Instant since, Instant now) {
    return new NodeConditionBuilder()
        .withType(type)
        .withStatus(status)
        .withReason(reason)
        .withMessage("local node")
        .withLastHeartbeatTime(now.truncatedTo(ChronoUnit.SECONDS).toString())
        .withLastTransitionTime(since.truncatedTo(ChronoUnit.SECONDS).toString())
        .build();
  }

  private static String architecture() {
    String arch = System.getProperty("os.arch");
    return arch.equals("aarch64") ? "arm64" : arch.equals("x86_64") ? "amd64" : arch;
  }
}
