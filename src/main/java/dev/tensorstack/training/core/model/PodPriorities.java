package dev.tensorstack.training.core.model;

import io.fabric8.kubernetes.api.model.PodSpec;
import java.util.Map;

/**
 * How important pods are to the cluster's schedulers: its PriorityClasses.
 *
 * @param values the priority of each class, by its name
 * @param ofOthers the priority of pods that name no class: that of the cluster's default class, or
 *     0
 */
public record PodPriorities(Map<String, Integer> values, int ofOthers) {

  /** All pods are equally important, or nothing is known. */
  public static final PodPriorities EQUAL = new PodPriorities(Map.of(), 0);

  /**
   * The priority that admission will give a pod.
   *
   * @param pod its spec
   * @return the priority; 0 for a class that does not exist, with which no pod can be created
   */
  public int of(PodSpec pod) {
    String name = pod.getPriorityClassName();
    return name == null || name.isEmpty() ? ofOthers : values.getOrDefault(name, 0);
  }
}
