package dev.tensorstack.training.engine;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.net.HttpURLConnection;
import org.jspecify.annotations.Nullable;

/** A change to one pod, and to no namesake of it. */
final class PodPatch {

  private PodPatch() {}

  /**
   * Sends it as a merge patch.
   *
   * @param changes namespace, name and uid of the pod, and what is to be changed
   * @return null when the API server has taken it or there is no such pod any more; else why it was
   *     refused
   */
  static @Nullable String send(KubernetesClient client, Pod changes) {
    try {
      // Given text, the client would read the pod first, which needs one more permission.
      client.resource(changes).patch(PatchContext.of(PatchType.JSON_MERGE), changes);
      return null;
    } catch (KubernetesClientException refusal) {
      return isGone(refusal) ? null : Refusals.message(refusal);
    } catch (RuntimeException mistake) {
      return String.valueOf(mistake.getMessage());
    }
  }

  /** There is none of that name any more, or another one, whose uid cannot be changed. */
  private static boolean isGone(KubernetesClientException refusal) {
    return refusal.getCode() == HttpURLConnection.HTTP_NOT_FOUND
        || Refusals.message(refusal).contains("metadata.uid")
        || (refusal.getCode() == HttpURLConnection.HTTP_CONFLICT
            && Refusals.message(refusal).contains("UID"));
  }
}
