package dev.tensorstack.training.observation;

import dev.tensorstack.training.naming.ObjectKind;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What is seen of the objects beside a job's pods: its PodGroup, its HorizontalPodAutoscaler,
 * TensorBoard's Deployment and Service.
 *
 * @param objects those that belong to the job, as the API server has them, of all kinds
 * @param podGroupKind the kind of PodGroup that the job's scheduler understands, in the version
 *     that the cluster serves; null when the job names no gang scheduler, or the cluster does not
 *     serve its kind
 * @param refused by object ({@code Deployment.apps mnist-12e8d-tensorboard}), the last refused
 *     write; without those that were accepted meanwhile
 */
public record Companions(
    List<GenericKubernetesResource> objects,
    @Nullable ObjectKind podGroupKind,
    Map<String, WriteFailure> refused) {

  /** Nothing is there, nothing was refused. */
  public static final Companions NONE = new Companions(List.of(), null, Map.of());

  /**
   * An object of the job.
   *
   * @param kind its kind
   * @param name its name
   * @return the object as the API server has it, perhaps being deleted; null when there is none
   */
  public @Nullable GenericKubernetesResource find(ObjectKind kind, String name) {
    for (GenericKubernetesResource object : objects) {
      if (kind.kind().equals(object.getKind())
          && kind.apiVersion().equals(object.getApiVersion())
          && name.equals(object.getMetadata().getName())) {
        return object;
      }
    }
    return null;
  }
}
