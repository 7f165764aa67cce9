package dev.tensorstack.training.core.model;

import io.fabric8.kubernetes.api.model.PodSpec;

/**
 * What the pods of a kind get beside what all pods get: restart policy, names in DNS, environment,
 * command. Metadata and the marks of the scheduler are not its affair.
 */
public interface PodShape {

  /**
   * Shapes a pod.
   *
   * @param place the pod's place in its job
   * @param pod a copy of the template's spec, in whose lists of containers no entry is null; it is
   *     changed
   */
  void shape(PodContext place, PodSpec pod);
}
