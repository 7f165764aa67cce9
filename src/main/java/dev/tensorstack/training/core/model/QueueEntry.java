package dev.tensorstack.training.core.model;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;

/**
 * One of a job's entries in its queue.
 *
 * @param object the entry as the API server has it, perhaps being deleted
 * @param answer what the queue says of it
 */
public record QueueEntry(GenericKubernetesResource object, QueueAnswer answer) {

  /**
   * The entry's uid, by which it is told from the job's others.
   *
   * @return as the API server gave it
   */
  public String uid() {
    return String.valueOf(object.getMetadata().getUid());
  }

  /**
   * Whether the job may have the pods that this entry was given a share for.
   *
   * @return false also while that is not known
   */
  public boolean admitted() {
    return answer.state() == QueueAnswer.State.ADMITTED;
  }
}
