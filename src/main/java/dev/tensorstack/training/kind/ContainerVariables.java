package dev.tensorstack.training.kind;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Variables of a container that the operator sets too. */
public final class ContainerVariables {

  private ContainerVariables() {}

  /**
   * Variables to which the user gives another value than the operator.
   *
   * @param container any container
   * @param operators the operator's variables: each name with its value, empty where it is another
   *     one in each pod
   * @return their names, each once, in the container's order
   */
  public static List<String> differing(Container container, Map<String, String> operators) {
    return Objects.requireNonNullElse(container.getEnv(), List.<EnvVar>of()).stream()
        .filter(variable -> variable != null && differs(variable, operators))
        .map(EnvVar::getName)
        .distinct()
        .toList();
  }

  private static boolean differs(EnvVar variable, Map<String, String> operators) {
    String value = variable.getName() == null ? null : operators.get(variable.getName());
    return value != null && (value.isEmpty() || !value.equals(variable.getValue()));
  }
}
