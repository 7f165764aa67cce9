package dev.tensorstack.training.core.gang;

import static java.util.Objects.requireNonNullElse;

import dev.tensorstack.training.core.model.BoundedQuantity;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What the scheduler sets aside for a pod. */
final class PodRequests {

  /** Of these, the containers may use more together than they ask for. */
  private static final Set<String> OVERCOMMITTED = Set.of("cpu", "memory");

  private PodRequests() {}

  /**
   * The requests of a pod: those of its containers together, or of an init container where that is
   * more, beside the sidecars that run by then; or what the pod itself requests; and its overhead.
   * Limits stand in for requests that are not given, as the API server does it.
   *
   * @param pod a pod's spec; quantities that cannot be read count as not given
   * @return amounts by resource
   */
  static Map<String, BigDecimal> of(PodSpec pod) {
    Map<String, BigDecimal> running = new LinkedHashMap<>();
    for (Container container : containers(pod.getContainers())) {
      add(running, requests(container.getResources()));
    }
    Map<String, BigDecimal> sidecars = new LinkedHashMap<>();
    Map<String, BigDecimal> starting = new LinkedHashMap<>();
    for (Container container : containers(pod.getInitContainers())) {
      Map<String, BigDecimal> own = requests(container.getResources());
      if ("Always".equals(container.getRestartPolicy())) {
        add(running, own);
        add(sidecars, own);
        max(starting, sidecars);
      } else {
        add(own, sidecars);
        max(starting, own);
      }
    }
    max(running, starting);
    ofThePodItself(pod.getResources(), running);
    add(running, amounts(pod.getOverhead()));
    return running;
  }

  private static void ofThePodItself(
      @Nullable ResourceRequirements resources, Map<String, BigDecimal> requests) {
    if (resources == null) {
      return;
    }
    amounts(resources.getLimits())
        .forEach(
            (name, limit) -> {
              if (!OVERCOMMITTED.contains(name) || !requests.containsKey(name)) {
                requests.put(name, limit);
              }
            });
    requests.putAll(amounts(resources.getRequests()));
  }

  private static List<Container> containers(@Nullable List<Container> containers) {
    return requireNonNullElse(containers, List.<Container>of()).stream()
        .filter(Objects::nonNull)
        .toList();
  }

  private static Map<String, BigDecimal> requests(@Nullable ResourceRequirements resources) {
    Map<String, BigDecimal> requests = new LinkedHashMap<>();
    if (resources != null) {
      requests.putAll(amounts(resources.getLimits()));
      requests.putAll(amounts(resources.getRequests()));
    }
    return requests;
  }

  private static Map<String, BigDecimal> amounts(@Nullable Map<String, Quantity> quantities) {
    Map<String, BigDecimal> amounts = new LinkedHashMap<>();
    requireNonNullElse(quantities, Map.<String, Quantity>of())
        .forEach(
            (name, quantity) -> {
              // The rules or the API server refuse what cannot be read.
              BigDecimal amount = BoundedQuantity.amount(quantity);
              if (amount != null) {
                amounts.put(name, amount);
              }
            });
    return amounts;
  }

  private static void add(Map<String, BigDecimal> sum, Map<String, BigDecimal> more) {
    more.forEach((name, amount) -> sum.merge(name, amount, BigDecimal::add));
  }

  private static void max(Map<String, BigDecimal> most, Map<String, BigDecimal> other) {
    other.forEach((name, amount) -> most.merge(name, amount, BigDecimal::max));
  }
}
