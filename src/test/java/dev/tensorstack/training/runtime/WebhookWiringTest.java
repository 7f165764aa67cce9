package dev.tensorstack.training.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tensorstack.training.tls.certificate.SubjectNames;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@link WebhookWiring} and {@link OwnNamespace}. */
class WebhookWiringTest {

  @Test
  void aUrlMayHaveAPathAndASlashAtItsEnd() {
    assertThat(WebhookWiring.checked("https://10.0.0.1:9443/"))
        .hasToString("https://10.0.0.1:9443");
    assertThat(WebhookWiring.checked("https://[fd00::1]:9443").getHost()).isEqualTo("[fd00::1]");
    assertThat(WebhookWiring.checked("https://host/behind/a/proxy"))
        .hasToString("https://host/behind/a/proxy");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"http://a:1", "a:1", "https://", "https:// a", "https://u@a", "https://a?b"})
  void aWrongUrlIsToldWithTheSettingAndTheRemedy(String url) {
    assertThatThrownBy(() -> WebhookWiring.checked(url))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("operator.webhooks.url is '" + url + "'")
        .hasMessageContaining("https://host:port");
  }

  @Test
  void theCertificateIsForEachServiceAndTheHostOfTheUrl() {
    List<String> services = List.of("webhooks", "metrics");

    assertThat(WebhookWiring.names(services, Optional.of("ns"), Optional.empty()).dns())
        .contains("webhooks.ns.svc", "metrics.ns.svc");
    SubjectNames outside =
        WebhookWiring.names(
            services, Optional.empty(), Optional.of(URI.create("https://192.0.2.1:9443")));
    assertThat(outside.dns()).isEmpty();
    assertThat(outside.addresses()).containsExactly("192.0.2.1");
  }

  @Test
  void theOwnNamespaceIsTheSetOneElseThePods(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("namespace");
    assertThat(OwnNamespace.find(Optional.empty(), file)).as("outside of a cluster").isEmpty();
    Files.writeString(file, "training\n");
    assertThat(OwnNamespace.find(Optional.empty(), file)).contains("training");
    assertThat(OwnNamespace.find(Optional.of("set"), file)).contains("set");
  }
}
