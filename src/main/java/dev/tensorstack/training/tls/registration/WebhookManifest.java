package dev.tensorstack.training.tls.registration;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Locale;

/** The configurations of the project's manifests (src/main/kubernetes), which are packaged too. */
final class WebhookManifest {

  private WebhookManifest() {}

  /** Reads one. */
  static WebhookConfiguration read(KubernetesSerialization serialization, WebhookKind kind) {
    String file = "/manifests/" + kind.kind().toLowerCase(Locale.ROOT) + ".yml";
    try (InputStream yaml = WebhookManifest.class.getResourceAsStream(file)) {
      if (yaml == null) {
        throw new IllegalStateException("not packaged: " + file);
      }
      return new WebhookConfiguration(
          serialization.unmarshal(yaml, GenericKubernetesResource.class));
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
  }
}
