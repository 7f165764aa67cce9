package dev.tensorstack.training.tls.registration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.tls.certificate.TrustBundle;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MatchCondition;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhook;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhook;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfiguration;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class WebhookConfigurationTest {

  private static final KubernetesSerialization YAML = new KubernetesSerialization();
  private static final TrustBundle TRUST =
      new TrustBundle(List.of(TrustTest.authority(Duration.ofDays(1))));

  private static WebhookConfiguration manifest(WebhookKind kind) {
    return WebhookManifest.read(YAML, kind);
  }

  @Test
  void theManifestsSayWhatIsCalledWhen() throws Exception {
    MutatingWebhook mutating =
        YAML.unmarshal(
                Files.readString(Path.of("src/main/kubernetes/mutatingwebhookconfiguration.yml")),
                MutatingWebhookConfiguration.class)
            .getWebhooks()
            .get(0);
    ValidatingWebhook validating =
        YAML.unmarshal(
                Files.readString(Path.of("src/main/kubernetes/validatingwebhookconfiguration.yml")),
                ValidatingWebhookConfiguration.class)
            .getWebhooks()
            .get(0);

    assertThat(mutating.getClientConfig().getService().getPath()).isEqualTo("/mutate");
    assertThat(validating.getClientConfig().getService().getPath()).isEqualTo("/validate");
    assertThat(mutating.getFailurePolicy()).isEqualTo("Fail");
    assertThat(mutating.getSideEffects()).isEqualTo("None");
    assertThat(mutating.getTimeoutSeconds()).isEqualTo(10);
    assertThat(mutating.getNamespaceSelector()).isEqualTo(validating.getNamespaceSelector());
    assertThat(mutating.getMatchConditions())
        .extracting(MatchCondition::getExpression)
        .as("what is stored, not what somebody writes, is being deleted")
        .containsExactly(
            "oldObject == null || !has(oldObject.metadata.deletionTimestamp)",
            "oldObject == null || !has(object.spec) || !has(oldObject.spec) || object.spec != oldObject.spec");
    assertThat(validating.getMatchConditions()).isEqualTo(mutating.getMatchConditions());
    assertThat(mutating.getRules()).hasSize(1);
    assertThat(validating.getRules()).hasSize(2);
    assertThat(validating.getRules().get(0)).isEqualTo(mutating.getRules().get(0));
    assertThat(validating.getRules().get(1).getResources())
        .containsExactly("pytorchtrainingjobs/scale");
    assertThat(validating.getRules().get(1).getOperations()).containsExactly("UPDATE");
  }

  @ParameterizedTest
  @EnumSource(WebhookKind.class)
  void whatIsRegisteredByUrlIsTheManifestButForNameAndAddress(WebhookKind kind) {
    WebhookConfiguration byUrl = manifest(kind).at("https://10.0.0.1:9443", "by-url", TRUST);
    assertThat(byUrl.urls())
        .containsExactly(
            "https://10.0.0.1:9443" + kind.path(),
            "https://10.0.0.1:9443" + kind.path() + "/pytorchjobs");
    assertThat(byUrl.bundles()).containsExactly(TRUST, TRUST);
    assertThat(byUrl.resource().getMetadata().getName()).isEqualTo("by-url");
    assertThat(YAML.asYaml(byUrl.resource())).doesNotContain("service:");
    assertThat(withoutAddresses(byUrl).replace("by-url", "NAME"))
        .isEqualTo(
            withoutAddresses(manifest(kind))
                .replace(
                    "name: \"pytorchtrainingjob-operator\"\nwebhooks", "name: \"NAME\"\nwebhooks"));
  }

  private static String withoutAddresses(WebhookConfiguration configuration) {
    return YAML.asYaml(configuration.resource())
        .replaceAll("(?s)  clientConfig:.*?(?=  failurePolicy:)", "");
  }

  @ParameterizedTest
  @EnumSource(WebhookKind.class)
  void onlyTheWebhooksOfServedKindsAreRegisteredByUrl(WebhookKind kind) {
    assertThat(manifest(kind).only(Set.of("pytorchjobs")).at("https://a:1", "by-url", TRUST).urls())
        .containsExactly("https://a:1" + kind.path() + "/pytorchjobs");
    assertThat(
            manifest(kind)
                .only(Set.of("pytorchtrainingjobs"))
                .at("https://a:1", "by-url", TRUST)
                .urls())
        .containsExactly("https://a:1" + kind.path());
  }

  @Test
  void aBundleIsWrittenWithoutTouchingAnythingElse() {
    GenericKubernetesResource present =
        YAML.unmarshal(
            """
            apiVersion: admissionregistration.k8s.io/v1
            kind: MutatingWebhookConfiguration
            metadata: {name: c, resourceVersion: "7"}
            fieldOfTomorrow: 1
            webhooks:
            - name: one
              alsoNew: [1, 2]
              clientConfig: {service: {name: s, namespace: n}}
            - name: two
              clientConfig: {service: {name: s, namespace: n}, caBundle: bm9uZQ==}
            """,
            GenericKubernetesResource.class);
    WebhookConfiguration before = new WebhookConfiguration(present);
    assertThat(before.bundles()).containsExactly(TrustBundle.EMPTY, TrustBundle.EMPTY);
    WebhookConfiguration after = before.withBundle(TRUST);
    assertThat(after.bundles()).containsExactly(TRUST, TRUST);
    assertThat(after.isSaidBy(before)).isTrue();
    assertThat(YAML.asYaml(after.resource()).replace(TRUST.toCaBundle(), ""))
        .contains("fieldOfTomorrow", "alsoNew", "resourceVersion: \"7\"", "namespace: \"n\"");
  }

  @Test
  void whatTheApiServerAddsIsNoDifferenceAndWhatSomebodyChangesIs() {
    WebhookConfiguration wanted =
        manifest(WebhookKind.MUTATING).at("https://a:1/mutate", "c", TrustBundle.EMPTY);
    String stored =
        YAML.asYaml(wanted.resource())
            .replace("  failurePolicy:", "  reinvocationPolicy: Never\n  failurePolicy:");
    assertThat(stored).contains("reinvocationPolicy");
    assertThat(wanted.isSaidBy(parse(stored))).isTrue();
    assertThat(wanted.isSaidBy(parse(stored.replace("Fail\"", "Ignore\"")))).isFalse();
    assertThat(wanted.isSaidBy(parse(stored.replace("a:1", "a:2")))).isFalse();
    assertThat(wanted.isSaidBy(parse(stored.replace("\"CREATE\"", "\"DELETE\"")))).isFalse();
  }

  private static WebhookConfiguration parse(String yaml) {
    return new WebhookConfiguration(YAML.unmarshal(yaml, GenericKubernetesResource.class));
  }
}
