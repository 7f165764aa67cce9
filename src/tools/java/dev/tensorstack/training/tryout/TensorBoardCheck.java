package dev.tensorstack.training.tryout;

import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Asks the TensorBoard behind a Service for a curve. There is no proxy for Services on this
 * machine, so one of the ready pods that the Service selects is asked, at the port that the Service
 * leads to.
 */
public final class TensorBoardCheck {

  private static final long POLL_MILLIS = 500;

  private final KubernetesClient client;
  private final String namespace;

  /**
   * A check in one namespace.
   *
   * @param client may read Services and pods
   * @param namespace where they are
   */
  public TensorBoardCheck(KubernetesClient client, String namespace) {
    this.client = client;
    this.namespace = namespace;
  }

  /**
   * What TensorBoard answered.
   *
   * @param url where it was asked
   * @param run the run's name: its directory below the log directory
   * @param value the last value of the curve
   */
  public record Curve(URI url, String run, double value) {}

  /**
   * Waits until TensorBoard knows a curve; it needs some seconds to start, and to read new logs.
   *
   * @param service the Service's name
   * @param run a part of the run's name
   * @param tag the curve, such as {@code test/accuracy}
   * @param limit how long to wait
   * @return the curve
   * @throws IllegalStateException when the time is over; says what was seen last
   * @throws InterruptedException when interrupted
   */
  public Curve await(String service, String run, String tag, Duration limit)
      throws InterruptedException {
    Instant end = Instant.now().plus(limit);
    String seen = "nothing";
    while (Instant.now().isBefore(end)) {
      Optional<URI> url = address(service);
      if (url.isEmpty()) {
        seen = "no ready pod behind Service " + service;
      } else {
        TensorBoardClient tensorBoard = new TensorBoardClient(url.get());
        try {
          Map<String, Set<String>> scalars = tensorBoard.scalars();
          seen = url.get() + " knows " + scalars;
          for (Map.Entry<String, Set<String>> known : scalars.entrySet()) {
            if (known.getKey().contains(run) && known.getValue().contains(tag)) {
              return new Curve(url.get(), known.getKey(), tensorBoard.last(known.getKey(), tag));
            }
          }
        } catch (IOException notYet) {
          seen = notYet.toString();
        }
      }
      TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
    }
    throw new IllegalStateException(
        "TensorBoard shows no "
            + tag
            + " of run "
            + run
            + " within "
            + limit.toSeconds()
            + " s: "
            + seen);
  }

  private Optional<URI> address(String name) {
    Service service = client.services().inNamespace(namespace).withName(name).get();
    if (service == null) {
      return Optional.empty();
    }
    IntOrString target = service.getSpec().getPorts().get(0).getTargetPort();
    return client
        .pods()
        .inNamespace(namespace)
        .withLabels(service.getSpec().getSelector())
        .list()
        .getItems()
        .stream()
        .filter(TensorBoardCheck::ready)
        .findFirst()
        .map(pod -> URI.create("http://" + pod.getStatus().getPodIP() + ":" + port(pod, target)));
  }

  private static boolean ready(Pod pod) {
    return pod.getMetadata().getDeletionTimestamp() == null
        && pod.getStatus().getConditions().stream()
            .anyMatch(c -> "Ready".equals(c.getType()) && "True".equals(c.getStatus()));
  }

  private static int port(Pod pod, IntOrString target) {
    @Nullable Integer number = target.getIntVal();
    if (number != null) {
      return number;
    }
    return pod.getSpec().getContainers().stream()
        .flatMap(container -> container.getPorts().stream())
        .filter(port -> Objects.equals(port.getName(), target.getStrVal()))
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("no port " + target.getStrVal()))
        .getContainerPort();
  }
}
