package dev.tensorstack.training.tls.registration;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.util.Optional;

/** Reads and writes the two configurations. */
final class WebhookConfigurations {

  private final KubernetesClient client;
  private final String name;

  /**
   * The configurations of a name.
   *
   * @param client may get and update them, and create and delete them if it shall do so
   * @param name the name of both
   */
  WebhookConfigurations(KubernetesClient client, String name) {
    this.client = client;
    this.name = name;
  }

  /** The name of both. */
  String name() {
    return name;
  }

  /** For messages. */
  String describe(WebhookKind kind) {
    return kind.kind() + " " + name;
  }

  /** The one of the manifests. */
  WebhookConfiguration manifest(WebhookKind kind) {
    return WebhookManifest.read(client.getKubernetesSerialization(), kind);
  }

  /** The one in the API server. */
  Optional<WebhookConfiguration> get(WebhookKind kind) {
    return Optional.ofNullable(
            client.genericKubernetesResources(kind.context()).withName(name).get())
        .map(WebhookConfiguration::new);
  }

  /** Creates one; does nothing when there is one by now. */
  void create(WebhookKind kind, WebhookConfiguration configuration) {
    lateIsFine(
        () ->
            client
                .genericKubernetesResources(kind.context())
                .resource(configuration.resource())
                .create());
  }

  /** Updates one that was read; does nothing when it is another by now. */
  void update(WebhookKind kind, WebhookConfiguration configuration) {
    lateIsFine(
        () ->
            client
                .genericKubernetesResources(kind.context())
                .resource(configuration.resource())
                .update());
  }

  /** Deletes one; does nothing when it is gone. */
  void delete(WebhookKind kind) {
    lateIsFine(() -> client.genericKubernetesResources(kind.context()).withName(name).delete());
  }

  /** It is read again soon, and then what is missing is done. */
  private static void lateIsFine(Runnable write) {
    try {
      write.run();
    } catch (KubernetesClientException refusal) {
      if (refusal.getCode() != HttpURLConnection.HTTP_CONFLICT
          && refusal.getCode() != HttpURLConnection.HTTP_NOT_FOUND) {
        throw refusal;
      }
    }
  }
}
