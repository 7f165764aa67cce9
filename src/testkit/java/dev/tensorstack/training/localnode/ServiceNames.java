package dev.tensorstack.training.localnode;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Service;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Stands in for the DNS of headless Services that belong to one pod each: replaces their names by
 * the pod's address. Such a Service has the name of the pod that it selects; names of others are
 * left as they are, because any word may be one.
 */
final class ServiceNames {
  private static final String BEFORE = "(?:(?<![A-Za-z0-9_./-])|(?<=://))";
  private static final String AFTER = "(?![A-Za-z0-9_-]|\\.[A-Za-z0-9])";
  private static final String NO_CLUSTER_IP = "None";

  private final PodAddresses addresses;
  private final ClusterObjects objects;
  private final String namespace;
  private final Map<Service, Pattern> services = new LinkedHashMap<>();

  /**
   * Names as the pods of one namespace see them, with the Services that exist now.
   *
   * @param addresses the addresses of the cluster
   * @param objects where Services and pods are read
   * @param namespace the namespace
   */
  ServiceNames(PodAddresses addresses, ClusterObjects objects, String namespace) {
    this.addresses = addresses;
    this.objects = objects;
    this.namespace = namespace;
    for (Service service : objects.services(namespace)) {
      Map<String, String> selector = service.getSpec().getSelector();
      boolean headless = NO_CLUSTER_IP.equals(service.getSpec().getClusterIP());
      if (headless && selector != null && !selector.isEmpty()) {
        services.put(service, spellings(service.getMetadata().getName()));
      }
    }
  }

  private Pattern spellings(String name) {
    return Pattern.compile(
        BEFORE
            + Pattern.quote(name)
            + "(?:\\."
            + Pattern.quote(namespace)
            + "(?:\\.svc(?:\\.cluster\\.local\\.?)?)?)?"
            + AFTER);
  }

  /**
   * Replaces names in one text.
   *
   * @param text any text, such as an argument
   * @return the text with {@code <service>[.<namespace>[.svc[.cluster.local]]]} replaced by the
   *     address of the Service's pod, also of one that does not exist yet; a part of a path stays
   */
  String replace(String text) {
    String replaced = text;
    for (Map.Entry<Service, Pattern> service : services.entrySet()) {
      Matcher names = service.getValue().matcher(replaced);
      if (names.find()) {
        Optional<String> address = addressOf(service.getKey());
        replaced = address.isPresent() ? names.replaceAll(address.get()) : replaced;
      }
    }
    return replaced;
  }

  private Optional<String> addressOf(Service service) {
    String name = service.getMetadata().getName();
    List<Pod> pods = objects.pods(namespace, service.getSpec().getSelector());
    if (pods.isEmpty()) {
      return Optional.of(addresses.addressOf(namespace, "", name));
    }
    boolean ofOnePod = pods.size() == 1 && pods.get(0).getMetadata().getName().equals(name);
    return ofOnePod ? Optional.of(addresses.addressOf(pods.get(0))) : Optional.empty();
  }
}
