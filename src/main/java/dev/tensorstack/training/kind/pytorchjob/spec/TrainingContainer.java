package dev.tensorstack.training.kind.pytorchjob.spec;

import dev.tensorstack.training.core.naming.Ports;
import dev.tensorstack.training.core.pod.PodTemplateCopy;
import dev.tensorstack.training.kind.PlacedContainer;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.ContainerPortBuilder;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The container of a pod that trains: the one named {@code pytorch}. */
public final class TrainingContainer {

  /** Its name. */
  public static final String NAME = "pytorch";

  /** The name of its port at which the replicas meet. */
  public static final String PORT_NAME = "pytorchjob-port";

  private TrainingContainer() {}

  /**
   * The training container of a template.
   *
   * @param template any template, or null
   * @return the first container of that name; null when there is none
   */
  public static @Nullable Container of(@Nullable PodTemplateSpec template) {
    return PlacedContainer.containers(template).stream()
        .filter(container -> container != null && NAME.equals(container.getName()))
        .findFirst()
        .orElse(null);
  }

  /**
   * A template whose training container has the port at which the replicas meet.
   *
   * @param template any template, or null; not changed
   * @return the same when it has a port of that name, or no training container; else a copy with
   *     the port {@value Ports#MASTER}
   */
  public static @Nullable PodTemplateSpec withPort(@Nullable PodTemplateSpec template) {
    Container training = of(template);
    if (template == null
        || training == null
        || ports(training).stream()
            .anyMatch(port -> port != null && PORT_NAME.equals(port.getName()))) {
      return template;
    }
    PodTemplateSpec copy = PodTemplateCopy.of(template);
    Container container = Objects.requireNonNull(of(copy));
    List<ContainerPort> ports = new ArrayList<>(ports(container));
    ports.add(
        new ContainerPortBuilder().withName(PORT_NAME).withContainerPort(Ports.MASTER).build());
    container.setPorts(ports);
    return copy;
  }

  private static List<ContainerPort> ports(Container container) {
    return Objects.requireNonNullElse(container.getPorts(), List.of());
  }
}
