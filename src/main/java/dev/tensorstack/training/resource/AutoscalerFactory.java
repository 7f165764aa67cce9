package dev.tensorstack.training.resource;

import dev.tensorstack.training.observation.TrainingJob;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import org.jspecify.annotations.Nullable;

/** Stub. */
public final class AutoscalerFactory {
  private AutoscalerFactory() {}

  /**
   * Stub.
   *
   * @param job the job
   * @return object
   */
  public static @Nullable GenericKubernetesResource autoscaler(TrainingJob job) {
    return null;
  }
}
