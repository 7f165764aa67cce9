package dev.tensorstack.training.schedulers;

import io.fabric8.kubernetes.api.model.Quantity;
import java.util.Map;

/**
 * What a ClusterQueue says that it holds, about a second late.
 *
 * @param pending workloads that wait
 * @param reserving workloads that have quota
 * @param admitted workloads that may run
 * @param reserved how much of each resource the reserving ones hold, over all flavors; a resource
 *     of which nothing is held is there with 0
 * @param used the same of the admitted ones
 */
public record QueueUsage(
    int pending,
    int reserving,
    int admitted,
    Map<String, Quantity> reserved,
    Map<String, Quantity> used) {

  /**
   * How much of one resource admitted workloads hold.
   *
   * @param resource for example {@code cpu}
   * @return for example 1.5; 0 when the queue does not name it
   */
  public double used(String resource) {
    return number(used, resource);
  }

  /**
   * How much of one resource workloads with quota hold.
   *
   * @param resource for example {@code cpu}
   * @return for example 1.5; 0 when the queue does not name it
   */
  public double reserved(String resource) {
    return number(reserved, resource);
  }

  private static double number(Map<String, Quantity> amounts, String resource) {
    Quantity amount = amounts.get(resource);
    return amount == null ? 0 : amount.getNumericalAmount().doubleValue();
  }
}
