package dev.tensorstack.training.engine;

import io.fabric8.kubernetes.api.model.DeleteOptions;
import io.fabric8.kubernetes.api.model.DeleteOptionsBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;

/** How the operator deletes objects: in the background, and never a namesake. */
final class Deletion {

  private Deletion() {}

  /**
   * Asks for the deletion of an object; one that is gone, or has a namesake by now, counts as
   * deleted.
   *
   * @param apiVersion group and version, {@code v1} for the core group
   * @param plural the resource's name in paths
   * @param uid makes sure that a namesake, perhaps somebody else's, is not meant
   * @param atOnce whether without a grace period
   * @return false when it was gone before
   * @throws KubernetesClientException when the API server refuses
   */
  static boolean send(
      KubernetesClient client,
      String apiVersion,
      String namespace,
      String plural,
      String name,
      String uid,
      boolean atOnce) {
    String path =
        (apiVersion.contains("/") ? "/apis/" : "/api/")
            + apiVersion
            + "/namespaces/"
            + namespace
            + "/"
            + plural
            + "/"
            + name;
    DeleteOptions options =
        new DeleteOptionsBuilder()
            .withApiVersion("v1")
            .withKind("DeleteOptions")
            .withPropagationPolicy("Background")
            .withNewPreconditions()
            .withUid(uid)
            .endPreconditions()
            .withGracePeriodSeconds(atOnce ? 0L : null)
            .build();
    try {
      client.raw(path, "DELETE", options);
      return true;
    } catch (KubernetesClientException refusal) {
      if (refusal.getCode() != HttpURLConnection.HTTP_NOT_FOUND
          && refusal.getCode() != HttpURLConnection.HTTP_CONFLICT) {
        throw refusal;
      }
      return false;
    }
  }
}
