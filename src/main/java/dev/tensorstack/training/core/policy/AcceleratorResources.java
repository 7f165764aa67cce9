package dev.tensorstack.training.core.policy;

import dev.tensorstack.training.core.model.BoundedQuantity;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Quantity;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Counts the accelerators that a container may use: what {@code procPerNode: gpu} means.
 *
 * @param patterns names of extended resources; a {@code *} at the end stands for any rest
 */
public record AcceleratorResources(List<String> patterns) implements ToIntFunction<Container> {

  /**
   * The resources that count unless an administrator says otherwise
   * (docs/reference/configuration.md).
   */
  public static final AcceleratorResources DEFAULT =
      new AcceleratorResources(
          List.of(
              "nvidia.com/gpu",
              "nvidia.com/mig-*",
              "amd.com/gpu",
              "hygon.com/dcu",
              "gpu.intel.com/*",
              "habana.ai/gaudi",
              "huawei.com/Ascend*"));

  /**
   * The accelerators in a container's limits, all kinds added up.
   *
   * @param container the training container
   * @return the number, 0 when it asks for none; quantities that are none do not count
   */
  public int count(Container container) {
    if (container.getResources() == null || container.getResources().getLimits() == null) {
      return 0;
    }
    long count = 0;
    for (Map.Entry<String, Quantity> limit : container.getResources().getLimits().entrySet()) {
      if (matches(limit.getKey())) {
        count += whole(limit.getValue());
      }
    }
    return (int) Math.min(count, Integer.MAX_VALUE);
  }

  @Override
  public int applyAsInt(Container container) {
    return count(container);
  }

  private static int whole(@Nullable Quantity quantity) {
    BigDecimal amount = BoundedQuantity.amount(quantity);
    // The rules or the API server refuse what is no amount, in their own words.
    return amount == null
        ? 0
        : (int) Math.max(0, Math.min(amount.doubleValue(), Integer.MAX_VALUE));
  }

  private boolean matches(String resource) {
    for (String pattern : patterns) {
      boolean match =
          pattern.endsWith("*")
              ? resource.startsWith(pattern.substring(0, pattern.length() - 1))
              : resource.equals(pattern);
      if (match) {
        return true;
      }
    }
    return false;
  }
}
