package dev.tensorstack.training.localnode;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceFieldSelector;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Answers of the downward API: a pod's own fields as text. */
final class DownwardApi {
  private static final Pattern SUBSCRIPT =
      Pattern.compile("metadata\\.(labels|annotations)\\['(.+)']");

  private final Pod pod;
  private final String podIp;
  private final Map<String, String> capacity;

  /**
   * The fields of one pod.
   *
   * @param pod the pod
   * @param podIp the address it was given
   * @param capacity the node's resources, the answer for a limit that is not set
   */
  DownwardApi(Pod pod, String podIp, Map<String, String> capacity) {
    this.pod = pod;
    this.podIp = podIp;
    this.capacity = capacity;
  }

  /**
   * The value of a {@code fieldRef}.
   *
   * @param path the field's path
   * @return its value, empty for a label or annotation that is not there
   * @throws ContainerConfigException if there is no such field
   */
  String field(String path) throws ContainerConfigException {
    Matcher subscript = SUBSCRIPT.matcher(path);
    if (subscript.matches()) {
      return map(subscript.group(1)).getOrDefault(subscript.group(2), "");
    }
    return switch (path) {
      case "metadata.name" -> pod.getMetadata().getName();
      case "metadata.namespace" -> pod.getMetadata().getNamespace();
      case "metadata.uid" -> pod.getMetadata().getUid();
      case "metadata.labels" -> lines(map("labels"));
      case "metadata.annotations" -> lines(map("annotations"));
      case "spec.nodeName" -> text(pod.getSpec().getNodeName());
      case "spec.serviceAccountName" -> text(pod.getSpec().getServiceAccountName());
      case "status.podIP", "status.podIPs" -> podIp;
      case "status.hostIP", "status.hostIPs" -> "127.0.0.1";
      default -> throw new ContainerConfigException("unsupported pod fieldPath: " + path);
    };
  }

  /**
   * The value of a {@code resourceFieldRef}.
   *
   * @param selector what is asked for
   * @param own the container it stands in, for a selector that names none; null in a volume
   * @return the amount divided by the divisor, rounded up
   * @throws ContainerConfigException if there is no such container or resource
   */
  String resource(ResourceFieldSelector selector, @Nullable Container own)
      throws ContainerConfigException {
    Container container = own;
    String name = selector.getContainerName();
    if (name != null && !name.isEmpty()) {
      container =
          pod.getSpec().getContainers().stream()
              .filter(c -> c.getName().equals(name))
              .findFirst()
              .orElse(null);
    }
    String[] parts = selector.getResource().split("\\.", 2);
    if (container == null || parts.length != 2 || !parts[0].matches("limits|requests")) {
      throw new ContainerConfigException("unsupported resourceFieldRef: " + selector.getResource());
    }
    Quantity amount = amount(container, parts[0].equals("limits"), parts[1]);
    Quantity divisor = selector.getDivisor();
    BigDecimal unit = divisor == null ? BigDecimal.ONE : Quantity.getAmountInBytes(divisor);
    if (unit.signum() == 0) {
      unit = BigDecimal.ONE;
    }
    return Quantity.getAmountInBytes(amount)
        .divide(unit, 0, RoundingMode.CEILING)
        .toBigInteger()
        .toString();
  }

  private Quantity amount(Container container, boolean limits, String resource) {
    Map<String, Quantity> amounts =
        container.getResources() == null
            ? null
            : limits
                ? container.getResources().getLimits()
                : container.getResources().getRequests();
    Quantity set = amounts == null ? null : amounts.get(resource);
    if (set != null) {
      return set;
    }
    return new Quantity(limits ? capacity.getOrDefault(resource, "0") : "0");
  }

  private Map<String, String> map(String which) {
    Map<String, String> map =
        which.equals("labels") ? pod.getMetadata().getLabels() : pod.getMetadata().getAnnotations();
    return map == null ? Map.of() : map;
  }

  private static String lines(Map<String, String> map) {
    return new TreeMap<>(map)
        .entrySet().stream()
            .map(
                e ->
                    e.getKey()
                        + "=\""
                        + e.getValue().replace("\n", "\\n").replace("\"", "\\\"")
                        + "\"")
            .collect(Collectors.joining("\n"));
  }

  private static String text(@Nullable String value) {
    return value == null ? "" : value;
  }
}
