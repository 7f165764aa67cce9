package dev.tensorstack.training.resource;

import dev.tensorstack.training.observation.TrainingJob;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.util.List;

/** Stub. */
public final class TensorboardFactory {
  private TensorboardFactory() {}

  /**
   * Stub.
   *
   * @param job the job
   * @return objects
   */
  public static List<GenericKubernetesResource> objects(TrainingJob job) {
    return List.of();
  }
}
