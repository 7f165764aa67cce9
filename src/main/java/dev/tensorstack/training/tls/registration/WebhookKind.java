package dev.tensorstack.training.tls.registration;

import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.util.Locale;

/** The two webhooks, each with a configuration of its own in the API server. */
enum WebhookKind {
  MUTATING("MutatingWebhookConfiguration", "/mutate"),
  VALIDATING("ValidatingWebhookConfiguration", "/validate");

  private final String kind;
  private final String path;

  WebhookKind(String kind, String path) {
    this.kind = kind;
    this.path = path;
  }

  /** The kind of the configuration. */
  String kind() {
    return kind;
  }

  /** Where the webhook listens; those of some kinds have a part of their own behind it. */
  String path() {
    return path;
  }

  /** For the client. */
  ResourceDefinitionContext context() {
    return new ResourceDefinitionContext.Builder()
        .withGroup("admissionregistration.k8s.io")
        .withVersion("v1")
        .withKind(kind)
        .withPlural(kind.toLowerCase(Locale.ROOT) + "s")
        .withNamespaced(false)
        .build();
  }
}
