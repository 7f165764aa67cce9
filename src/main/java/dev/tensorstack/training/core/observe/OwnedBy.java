package dev.tensorstack.training.core.observe;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;

/** The owner reference that all objects of a job carry, so that they go with it. */
public final class OwnedBy {

  private OwnedBy() {}

  /**
   * The reference to a job.
   *
   * @param job the owner
   * @return a controller reference that blocks a foreground deletion
   */
  public static OwnerReference job(TrainingJob job) {
    return new OwnerReferenceBuilder()
        .withApiVersion(job.kind().apiVersion())
        .withKind(job.kind().kind())
        .withName(job.name())
        .withUid(job.uid())
        .withController(true)
        .withBlockOwnerDeletion(true)
        .build();
  }

  /**
   * Whether an object that a job does not own goes by itself: it is being deleted, or it is what an
   * earlier job of the same name has left, which Kubernetes collects.
   *
   * @param object an object that {@link #isOwnedBy} says is somebody else's
   * @param job the job
   * @return false when it may stay for ever
   */
  public static boolean isAboutToGo(HasMetadata object, TrainingJob job) {
    return object.getMetadata().getDeletionTimestamp() != null
        || object.getMetadata().getOwnerReferences().stream()
            .anyMatch(
                reference ->
                    Boolean.TRUE.equals(reference.getController())
                        && job.kind().kind().equals(reference.getKind())
                        && job.kind().apiVersion().equals(reference.getApiVersion())
                        && job.name().equals(reference.getName()));
  }

  /**
   * Whether a job owns an object. Owners are in the namespace of what they own: an owner reference
   * says what its author likes, and whoever may create pods elsewhere can write this job's uid.
   *
   * @param object any object
   * @param job the job
   * @return true when the object is in the job's namespace, and its controller is that job
   */
  public static boolean isOwnedBy(HasMetadata object, TrainingJob job) {
    return job.namespace().equals(object.getMetadata().getNamespace())
        && object.getMetadata().getOwnerReferences().stream()
            .anyMatch(
                reference ->
                    Boolean.TRUE.equals(reference.getController())
                        && job.uid().equals(reference.getUid()));
  }
}
