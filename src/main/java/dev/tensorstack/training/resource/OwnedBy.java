package dev.tensorstack.training.resource;

import dev.tensorstack.training.api.v1beta1.PyTorchTrainingJob;
import dev.tensorstack.training.observation.TrainingJob;
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
        .withApiVersion(HasMetadata.getApiVersion(PyTorchTrainingJob.class))
        .withKind(HasMetadata.getKind(PyTorchTrainingJob.class))
        .withName(job.name())
        .withUid(job.uid())
        .withController(true)
        .withBlockOwnerDeletion(true)
        .build();
  }

  /**
   * Whether a job owns an object.
   *
   * @param object any object
   * @param jobUid the job's uid
   * @return true when the object's controller is that job
   */
  public static boolean isOwnedBy(HasMetadata object, String jobUid) {
    return object.getMetadata().getOwnerReferences().stream()
        .anyMatch(
            reference ->
                Boolean.TRUE.equals(reference.getController())
                    && jobUid.equals(reference.getUid()));
  }
}
