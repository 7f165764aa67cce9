package dev.tensorstack.training.core.model;

import io.fabric8.kubernetes.api.model.PodTemplateSpec;

/**
 * One kind of replicas of a job: they share a pod template.
 *
 * @param name its name, part of the pods' names
 * @param replicas how many there are; of an elastic job, before it was scaled
 * @param scalingWeight its share of the nodes of an elastic job; 0 keeps it at {@code replicas}
 * @param restartPolicy what to do when one of its pods ends
 * @param template the pod to run, which is never changed
 * @param debug what its pods run in debug mode
 * @param resume what its pods run after a resume
 */
public record ReplicaType(
    String name,
    int replicas,
    int scalingWeight,
    RestartPolicy restartPolicy,
    PodTemplateSpec template,
    DebugStart debug,
    ResumeStart resume) {

  /**
   * The same type with another number of replicas.
   *
   * @param number how many there are
   * @return a new type; this one when nothing changes
   */
  ReplicaType limitedTo(int number) {
    return number == replicas
        ? this
        : new ReplicaType(name, number, scalingWeight, restartPolicy, template, debug, resume);
  }
}
