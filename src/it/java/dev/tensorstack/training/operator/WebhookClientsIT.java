package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tensorstack.training.controlplane.ControlPlane;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * Who may call the webhooks: an API server that was given a certificate for them (docs/operations/
 * webhooks.md), and nobody else; on a control plane of its own.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class WebhookClientsIT {

  private static final String NAME = "kube-apiserver-webhooks";

  private final TestAuthority authority = TestAuthority.create();
  private final TestAuthority.Issued own = authority.issueClient(NAME);

  @SuppressWarnings("NullAway.Init")
  private Path directory;

  @SuppressWarnings("NullAway.Init")
  private ControlPlane controlPlane;

  @SuppressWarnings("NullAway.Init")
  private Webhooks webhooks;

  @BeforeAll
  void start(@TempDir Path files) throws IOException {
    directory = files;
    Path kubeconfig =
        Files.writeString(
            directory.resolve("webhooks.kubeconfig"),
            """
            apiVersion: v1
            kind: Config
            users:
            - name: '*'
              user:
                client-certificate-data: %s
                client-key-data: %s
            """
                .formatted(base64(own.certificate()), base64(own.key())));
    Path admission =
        Files.writeString(
            directory.resolve("admission.yaml"),
            """
            apiVersion: apiserver.config.k8s.io/v1
            kind: AdmissionConfiguration
            plugins:
            - name: MutatingAdmissionWebhook
              configuration:
                apiVersion: apiserver.config.k8s.io/v1
                kind: WebhookAdmissionConfiguration
                kubeConfigFile: %1$s
            - name: ValidatingAdmissionWebhook
              configuration:
                apiVersion: apiserver.config.k8s.io/v1
                kind: WebhookAdmissionConfiguration
                kubeConfigFile: %1$s
            """
                .formatted(kubeconfig));
    controlPlane =
        ControlPlane.builder()
            .controllerManager(false)
            .scheduler(false)
            .apiServerArguments("--admission-control-config-file=" + admission)
            .start();
    OperatorProcess.installCrds(controlPlane.client());
    webhooks = new Webhooks(controlPlane.client(), Webhooks.BY_URL);
  }

  @AfterEach
  void removeConfigurations() {
    webhooks.delete();
  }

  @AfterAll
  void stop() {
    controlPlane.close();
  }

  @Test
  void onlyTheApiServersCertificateIsAnsweredAlsoWhenItsAuthorityChanges() throws IOException {
    String namespace = controlPlane.createNamespace("clients");
    Path authorities = directory.resolve("clients.crt");
    Map<String, String> settings = settings(namespace, authorities);
    try (OperatorProcess operator =
        OperatorProcess.launchWithWebhooks(controlPlane.kubeconfig(), settings)) {
      Awaitility.await("the missing file is told; log: " + operator.log())
          .until(
              () ->
                  operator
                      .get("/q/health/ready")
                      .body()
                      .contains("the authorities of the webhooks' callers cannot be used"));

      Files.writeString(authorities, authority.pem());
      operator.awaitReady();
      creates(namespace, "a");
      assertThatCallsAreAnswered(operator, own);
      assertThatCallsAreRefused(operator, null);
      TestAuthority another = TestAuthority.create();
      TestAuthority.Issued stranger = another.issueClient(NAME);
      assertThatCallsAreRefused(operator, stranger);

      Files.writeString(authorities, "nothing");
      Awaitility.await("the broken file is told; log: " + operator.log())
          .until(() -> Files.readString(operator.log()).contains("those before stay in use"));
      creates(namespace, "b");

      Files.writeString(authorities, another.pem() + authority.pem());
      Awaitility.await("both are trusted; log: " + operator.log())
          .ignoreExceptions()
          .untilAsserted(() -> assertThatCallsAreAnswered(operator, stranger));
      creates(namespace, "c");

      // It has no certificate either, but sees that somebody serves.
      try (OperatorProcess second =
          OperatorProcess.startWithWebhooks(controlPlane.kubeconfig(), settings)) {
        assertThat(Files.readString(second.log())).contains("is another operator's");
        assertThat(webhooks.urls()).allMatch(url -> url.startsWith(operator.webhookUrl()));
      }
    }
  }

  @Test
  void whereTheAuthorityVouchesForOthersTooTheNameCounts() throws IOException {
    String namespace = controlPlane.createNamespace("names");
    Path authorities = Files.writeString(directory.resolve("names.crt"), authority.pem());
    Map<String, String> settings = new LinkedHashMap<>(settings(namespace, authorities));
    settings.put("OPERATOR_WEBHOOKS_CLIENT_NAMES", "somebody," + NAME);
    try (OperatorProcess operator =
        OperatorProcess.startWithWebhooks(controlPlane.kubeconfig(), settings)) {
      creates(namespace, "a");
      assertThatCallsAreAnswered(operator, own);
      assertThatCallsAreRefused(operator, authority.issueClient("some-user"));
    }
  }

  /** The webhooks are called: only they store defaults. */
  private void creates(String namespace, String name) {
    assertThat(
            new Jobs(controlPlane.client(), namespace)
                .create(Jobs.simple(name, 1, "Never"))
                .getSpec()
                .runPolicy())
        .isNotNull();
  }

  private void assertThatCallsAreAnswered(OperatorProcess operator, TestAuthority.Issued client)
      throws IOException {
    assertThat(call(operator, client).body()).contains("\"allowed\":true");
  }

  private void assertThatCallsAreRefused(
      OperatorProcess operator, TestAuthority.@Nullable Issued client) {
    assertThatThrownBy(() -> call(operator, client)).isInstanceOf(IOException.class);
  }

  private WebhookClient.Answer call(OperatorProcess operator, TestAuthority.@Nullable Issued client)
      throws IOException {
    return WebhookClient.call(
        operator.webhookUrl() + "/mutate", webhooks.bundles().get(0), "127.0.0.1", client);
  }

  private static Map<String, String> settings(String namespace, Path authorities) {
    return Map.of(
        "OPERATOR_NAMESPACE",
        namespace,
        "OPERATOR_WATCH_NAMESPACES",
        namespace,
        "OPERATOR_WEBHOOKS_CHECK_INTERVAL",
        "500ms",
        "OPERATOR_WEBHOOKS_CLIENT_CA",
        authorities.toString());
  }

  private static String base64(String pem) {
    return Base64.getEncoder().encodeToString(pem.getBytes(StandardCharsets.US_ASCII));
  }
}
