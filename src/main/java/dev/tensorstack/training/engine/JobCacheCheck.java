package dev.tensorstack.training.engine;

import dev.tensorstack.training.kind.JobKind;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Whether the job in the cache is the job that there is. The watch of jobs may lag behind that of
 * pods: the pods of a resume, or of a new attempt, would then seem to be superfluous, and what is
 * deleted does not come back; and pods would be created for an attempt that is over. A status write
 * proves that the job is fresh, by its resource version; what follows from an older decision has no
 * such proof, and the API server is asked.
 */
final class JobCacheCheck<R extends CustomResource<?, ?>> {

  private final JobKind<R> kind;
  private final KubernetesClient client;

  JobCacheCheck(JobKind<R> kind, KubernetesClient client) {
    this.kind = kind;
    this.client = client;
  }

  /**
   * Asks the API server.
   *
   * @param cached the job as the cache has it
   * @return false when it has changed since, or is gone
   * @throws KubernetesClientException when there is no answer
   */
  boolean isAsCached(R cached) {
    ObjectMeta metadata = cached.getMetadata();
    // Null stands for 404.
    String live =
        client.raw(
            "/apis/%s/namespaces/%s/%s/%s"
                .formatted(
                    cached.getApiVersion(),
                    metadata.getNamespace(),
                    cached.getPlural(),
                    metadata.getName()));
    return live != null
        && saysTheSame(cached, client.getKubernetesSerialization().unmarshal(live, kind.type()));
  }

  /** Whether nothing differs from which a plan follows. */
  boolean saysTheSame(R cached, @Nullable R live) {
    if (live == null) {
      return false;
    }
    ObjectMeta then = cached.getMetadata();
    ObjectMeta now = live.getMetadata();
    return Objects.equals(then.getUid(), now.getUid())
        && (Objects.equals(then.getResourceVersion(), now.getResourceVersion())
            || (Objects.equals(then.getGeneration(), now.getGeneration())
                && Objects.equals(then.getDeletionTimestamp(), now.getDeletionTimestamp())
                && Objects.equals(then.getLabels(), now.getLabels())
                && kind.unreadable(live) == null
                && Objects.equals(cached.getStatus(), live.getStatus())));
  }
}
