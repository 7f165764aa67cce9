package dev.tensorstack.training.resource;

import dev.tensorstack.training.naming.ObjectKind;
import dev.tensorstack.training.observation.TrainingJob;
import java.util.List;

/** Stub. */
public final class PodGroupKinds {
  private PodGroupKinds() {}

  /**
   * Stub.
   *
   * @param job the job
   * @return kinds
   */
  public static List<ObjectKind> of(TrainingJob job) {
    return List.of();
  }
}
