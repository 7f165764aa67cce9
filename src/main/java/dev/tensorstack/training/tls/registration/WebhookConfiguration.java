package dev.tensorstack.training.tls.registration;

import static java.util.Collections.disjoint;

import dev.tensorstack.training.tls.certificate.TrustBundle;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A {@code MutatingWebhookConfiguration} or {@code ValidatingWebhookConfiguration}, with all its
 * fields: those that this operator does not know survive.
 *
 * @param resource the object
 */
record WebhookConfiguration(GenericKubernetesResource resource) {

  private static final String WEBHOOKS = "webhooks";
  private static final String CLIENT_CONFIG = "clientConfig";
  private static final String CA_BUNDLE = "caBundle";
  private static final String URL = "url";
  private static final String SERVICE = "service";
  private static final String PATH = "path";
  private static final String RULES = "rules";
  private static final String RESOURCES = "resources";

  /** The bundle of each webhook in it; empty bundles where there is none. */
  List<TrustBundle> bundles() {
    return clientConfigs().stream()
        .map(config -> TrustBundle.ofCaBundle(Objects.toString(config.get(CA_BUNDLE), "")))
        .toList();
  }

  /** The URL of each webhook in it that has one. */
  List<String> urls() {
    return clientConfigs().stream()
        .filter(config -> config.get(URL) != null)
        .map(config -> Objects.toString(config.get(URL)))
        .toList();
  }

  /** A copy whose webhooks trust a bundle. */
  WebhookConfiguration withBundle(TrustBundle bundle) {
    return changed(config -> putBundle(config, bundle));
  }

  /**
   * A copy with another name whose webhooks are at their paths below a URL, and trust a bundle.
   *
   * @param url without a slash at the end
   */
  WebhookConfiguration at(String url, String name, TrustBundle bundle) {
    WebhookConfiguration copy =
        changed(
            config -> {
              String path = Objects.toString(copy(config.get(SERVICE)).get(PATH), "");
              config.clear();
              config.put(URL, url + path);
              putBundle(config, bundle);
            });
    copy.resource.getMetadata().setName(name);
    return copy;
  }

  /** Without authorities of its own, the API server trusts those of its machine. */
  private static void putBundle(Map<String, Object> config, TrustBundle bundle) {
    if (bundle.isEmpty()) {
      config.remove(CA_BUNDLE);
    } else {
      config.put(CA_BUNDLE, bundle.toCaBundle());
    }
  }

  /**
   * A copy with the webhooks of some resources only.
   *
   * @param resources plurals, such as {@code pytorchjobs}
   */
  WebhookConfiguration only(Set<String> resources) {
    List<Object> kept = new ArrayList<>();
    for (Object webhook : webhooks()) {
      if (copy(webhook).get(RULES) instanceof List<?> rules
          && rules.stream()
              .map(rule -> copy(rule).get(RESOURCES))
              .anyMatch(named -> named instanceof List<?> names && !disjoint(names, resources))) {
        kept.add(webhook);
      }
    }
    return withWebhooks(kept);
  }

  /** A copy that is written over another version of the object. */
  WebhookConfiguration over(WebhookConfiguration present) {
    WebhookConfiguration copy = changed(config -> {});
    copy.resource
        .getMetadata()
        .setResourceVersion(present.resource.getMetadata().getResourceVersion());
    return copy;
  }

  /** Whether another version says all that this one does, but for the bundles. */
  boolean isSaidBy(WebhookConfiguration present) {
    return contains(present.withoutBundles().webhooks(), withoutBundles().webhooks());
  }

  private WebhookConfiguration withoutBundles() {
    return changed(config -> config.remove(CA_BUNDLE));
  }

  /** What the API server adds by itself is no difference. */
  private static boolean contains(Object present, Object wanted) {
    if (wanted instanceof Map<?, ?> fields) {
      return present instanceof Map<?, ?> others
          && fields.entrySet().stream()
              .allMatch(
                  field ->
                      others.containsKey(field.getKey())
                          && contains(others.get(field.getKey()), field.getValue()));
    }
    if (wanted instanceof List<?> items) {
      if (!(present instanceof List<?> others) || others.size() != items.size()) {
        return false;
      }
      for (int i = 0; i < items.size(); i++) {
        if (!contains(others.get(i), items.get(i))) {
          return false;
        }
      }
      return true;
    }
    return Objects.equals(Objects.toString(present), Objects.toString(wanted));
  }

  private WebhookConfiguration changed(Consumer<Map<String, Object>> change) {
    List<Object> webhooks = new ArrayList<>();
    for (Object webhook : webhooks()) {
      Map<String, Object> copy = copy(webhook);
      Map<String, Object> config = copy(copy.get(CLIENT_CONFIG));
      change.accept(config);
      copy.put(CLIENT_CONFIG, config);
      webhooks.add(copy);
    }
    return withWebhooks(webhooks);
  }

  private WebhookConfiguration withWebhooks(List<Object> webhooks) {
    GenericKubernetesResource result = new GenericKubernetesResource();
    result.setApiVersion(resource.getApiVersion());
    result.setKind(resource.getKind());
    result.setMetadata(resource.getMetadata().toBuilder().build());
    Map<String, Object> properties = new LinkedHashMap<>(resource.getAdditionalProperties());
    properties.put(WEBHOOKS, webhooks);
    result.setAdditionalProperties(properties);
    return new WebhookConfiguration(result);
  }

  private List<Map<String, Object>> clientConfigs() {
    return webhooks().stream().map(webhook -> copy(copy(webhook).get(CLIENT_CONFIG))).toList();
  }

  private List<?> webhooks() {
    return resource.getAdditionalProperties().get(WEBHOOKS) instanceof List<?> webhooks
        ? webhooks
        : List.of();
  }

  private static Map<String, Object> copy(@Nullable Object map) {
    Map<String, Object> copy = new LinkedHashMap<>();
    if (map instanceof Map<?, ?> fields) {
      fields.forEach((key, value) -> copy.put(Objects.toString(key), value));
    }
    return copy;
  }
}
