package dev.tensorstack.training.core.model;

import io.fabric8.kubernetes.api.model.Toleration;
import java.util.List;
import java.util.Map;

/**
 * What the cluster says of queues beside a job's entry.
 *
 * @param flavors the kinds of nodes that a queue gives shares of, by name
 * @param priorities the values of the queue's own classes of priority, by name
 * @param podPriorities the values of the cluster's PriorityClasses
 */
public record QueueFacts(
    Map<String, Flavor> flavors, Map<String, Integer> priorities, PodPriorities podPriorities) {

  /** Nothing is known. */
  public static final QueueFacts NONE = new QueueFacts(Map.of(), Map.of(), PodPriorities.EQUAL);

  /**
   * A kind of nodes.
   *
   * @param nodeLabels the labels of its nodes
   * @param tolerations the taints of its nodes that pods are to tolerate
   */
  public record Flavor(Map<String, String> nodeLabels, List<Toleration> tolerations) {}
}
