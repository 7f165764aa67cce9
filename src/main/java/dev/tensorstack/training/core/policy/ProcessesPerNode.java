package dev.tensorstack.training.core.policy;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.IntOrString;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/** What {@code torchrunConfig.procPerNode} means for torchrun's {@code --nproc_per_node}. */
public final class ProcessesPerNode {

  /** One process for each accelerator of the training container. */
  public static final String GPU = "gpu";

  private ProcessesPerNode() {}

  /**
   * The value to give to torchrun.
   *
   * @param procPerNode the field, or null for its default of 1
   * @param training the training container of the replica's type
   * @param accelerators counts the accelerators of a container
   * @return a number, {@code auto} or {@code cpu}; for {@code gpu} the number of accelerators in
   *     the container's limits, 1 when it asks for none
   */
  public static String resolve(
      @Nullable IntOrString procPerNode,
      Container training,
      ToIntFunction<Container> accelerators) {
    String value = text(procPerNode);
    return GPU.equals(value)
        ? Integer.toString(Math.max(1, accelerators.applyAsInt(training)))
        : value;
  }

  /**
   * The field as text: {@code 8} and {@code "8"} are the same.
   *
   * @param procPerNode the field, or null
   * @return its text, {@code 1} for null
   */
  public static String text(@Nullable IntOrString procPerNode) {
    if (procPerNode == null || procPerNode.getValue() == null) {
      return "1";
    }
    return String.valueOf(procPerNode.getValue()).trim();
  }
}
