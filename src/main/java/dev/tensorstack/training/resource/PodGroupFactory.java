package dev.tensorstack.training.resource;

import dev.tensorstack.training.naming.ObjectKind;
import dev.tensorstack.training.observation.TrainingJob;
import dev.tensorstack.training.policy.ReplicaLayout;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.util.Map;

/** Stub. */
public final class PodGroupFactory {
  private PodGroupFactory() {}

  /**
   * Stub.
   *
   * @param job the job
   * @param layout replicas
   * @param kind kind
   * @param done ended
   * @return object
   */
  public static GenericKubernetesResource podGroup(
      TrainingJob job, ReplicaLayout layout, ObjectKind kind, int done) {
    return CompanionObject.of(job, kind, job.names().base(), Map.of());
  }
}
