package dev.tensorstack.training.operator;

import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhook;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhook;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.WebhookClientConfig;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/**
 * The webhook configurations of a name, and the operator's Secret, as the API server has them.
 *
 * @param client an administrator
 * @param name the name of both configurations
 */
record Webhooks(KubernetesClient client, String name) {

  /** What an operator with a URL registers. */
  static final String BY_URL = "pytorchtrainingjob-operator-url";

  /** What the manifests hold. */
  static final String IN_CLUSTER = "pytorchtrainingjob-operator";

  /** How many webhooks both configurations have together: two for each kind. */
  static final int ALL = 4;

  /** The operator's certificate. */
  static final String SECRET = "pytorchtrainingjob-operator-webhook";

  @Nullable MutatingWebhookConfiguration mutating() {
    return client.admissionRegistration().v1().mutatingWebhookConfigurations().withName(name).get();
  }

  @Nullable ValidatingWebhookConfiguration validating() {
    return client
        .admissionRegistration()
        .v1()
        .validatingWebhookConfigurations()
        .withName(name)
        .get();
  }

  /** How the webhooks of both are called; empty when there are none. */
  List<WebhookClientConfig> clientConfigs() {
    List<WebhookClientConfig> all = new ArrayList<>();
    MutatingWebhookConfiguration mutating = mutating();
    if (mutating != null) {
      mutating.getWebhooks().stream().map(MutatingWebhook::getClientConfig).forEach(all::add);
    }
    ValidatingWebhookConfiguration validating = validating();
    if (validating != null) {
      validating.getWebhooks().stream().map(ValidatingWebhook::getClientConfig).forEach(all::add);
    }
    return all;
  }

  /** The distinct URLs of both. */
  List<String> urls() {
    return clientConfigs().stream().map(WebhookClientConfig::getUrl).distinct().toList();
  }

  /** The distinct bundles of both, as PEM; an empty text for none. */
  List<String> bundles() {
    return clientConfigs().stream()
        .map(config -> Objects.toString(config.getCaBundle(), ""))
        .map(Webhooks::decode)
        .distinct()
        .toList();
  }

  /** Writes a bundle into both. */
  void overwriteBundles(String pem) {
    String bundle = Base64.getEncoder().encodeToString(pem.getBytes(StandardCharsets.US_ASCII));
    client
        .admissionRegistration()
        .v1()
        .mutatingWebhookConfigurations()
        .withName(name)
        .edit(
            one -> {
              one.getWebhooks().forEach(webhook -> webhook.getClientConfig().setCaBundle(bundle));
              return one;
            });
    client
        .admissionRegistration()
        .v1()
        .validatingWebhookConfigurations()
        .withName(name)
        .edit(
            one -> {
              one.getWebhooks().forEach(webhook -> webhook.getClientConfig().setCaBundle(bundle));
              return one;
            });
  }

  /** Waits until both hold one and the same bundle. */
  void awaitBundle(String pem) {
    Awaitility.await("the caBundle of " + name)
        .atMost(Duration.ofSeconds(30))
        .pollInterval(Duration.ofMillis(100))
        .until(() -> clientConfigs().size() == ALL && bundles().equals(List.of(pem)));
  }

  /** Deletes both. */
  void delete() {
    client.admissionRegistration().v1().mutatingWebhookConfigurations().withName(name).delete();
    client.admissionRegistration().v1().validatingWebhookConfigurations().withName(name).delete();
  }

  /** A part of the operator's Secret. */
  String secret(String namespace, String key) {
    Secret secret =
        Objects.requireNonNull(
            client.secrets().inNamespace(namespace).withName(SECRET).get(), "the Secret");
    return decode(Objects.toString(secret.getData().get(key), ""));
  }

  private static String decode(String base64) {
    return new String(Base64.getDecoder().decode(base64), StandardCharsets.US_ASCII);
  }
}
