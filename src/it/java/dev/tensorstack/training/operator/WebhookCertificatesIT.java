package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tensorstack.training.apiproxy.ApiProxy;
import dev.tensorstack.training.apiproxy.Verdict;
import dev.tensorstack.training.controlplane.ControlPlane;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ssl.SSLHandshakeException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** The webhooks' certificate changes while they are called; on a control plane of its own. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class WebhookCertificatesIT {

  private static final int SOME_HUNDREDS = 300;

  private final ControlPlane controlPlane =
      ControlPlane.builder().controllerManager(false).scheduler(false).start();
  private final KubernetesClient client = controlPlane.client();
  private final Webhooks webhooks = new Webhooks(client, Webhooks.BY_URL);

  WebhookCertificatesIT() {
    OperatorProcess.installCrds(client);
  }

  @AfterAll
  void stop() {
    controlPlane.close();
  }

  @Test
  void noRequestFailsWhileCertificatesAndTheirAuthorityAreRenewed() {
    String namespace = controlPlane.createNamespace("rotation");
    Map<String, String> settings = new LinkedHashMap<>(settings(namespace));
    settings.put("OPERATOR_WEBHOOKS_CERTIFICATE_VALIDITY", "20s");
    settings.put("OPERATOR_WEBHOOKS_CA_VALIDITY", "30s");
    try (OperatorProcess operator =
            OperatorProcess.startWithWebhooks(controlPlane.kubeconfig(), settings);
        WebhookLoad load = new WebhookLoad(controlPlane.clientConfig(), webhooks, operator, "")) {
      String firstAuthority = webhooks.secret(namespace, "ca.crt");
      Awaitility.await("three renewals, and the first authority is gone; log: " + operator.log())
          .atMost(Duration.ofMinutes(2))
          .until(
              () ->
                  load.certificates() > 3
                      && !webhooks.bundles().get(0).contains(firstAuthority)
                      && load.direct() > SOME_HUNDREDS
                      && load.throughApiServer() > SOME_HUNDREDS);
      load.close();
      print("renewals", load);
      assertThat(load.failures()).as("log: " + operator.log()).isEmpty();
      assertThat(load.bundles()).as("old; old and new; new").isGreaterThanOrEqualTo(3);
    }
  }

  @Test
  void noRequestFailsWhileASecretThatIsGoneIsMadeAnew() {
    String namespace = controlPlane.createNamespace("lost");
    try (OperatorProcess operator =
            OperatorProcess.startWithWebhooks(controlPlane.kubeconfig(), settings(namespace));
        WebhookLoad load = new WebhookLoad(controlPlane.clientConfig(), webhooks, operator, "")) {
      for (int certificates = 1; certificates <= 3; certificates++) {
        int before = certificates;
        await(
            load,
            "another certificate; log: " + operator.log(),
            () -> load.certificates() == before);
        client.secrets().inNamespace(namespace).withName(Webhooks.SECRET).delete();
        await(
            load,
            "another certificate; log: " + operator.log(),
            () -> load.certificates() > before);
      }
      load.close();
      print("lost Secrets", load);
      assertThat(load.failures()).as("log: " + operator.log()).isEmpty();
    }
  }

  @Test
  void providedFilesAreReadAgainAndWhatCannotBeUsedIsLeftOut(@TempDir Path directory)
      throws IOException {
    String namespace = controlPlane.createNamespace("files");
    ProvidedFiles files = new ProvidedFiles(directory);
    Map<String, String> settings = new LinkedHashMap<>(settings(namespace));
    settings.put("OPERATOR_WEBHOOKS_CERTIFICATES", "provided");
    settings.put("OPERATOR_WEBHOOKS_CERTIFICATE_DIR", files.path().toString());
    try (OperatorProcess operator =
        OperatorProcess.launchWithWebhooks(controlPlane.kubeconfig(), settings)) {
      Awaitility.await("the missing files are told; log: " + operator.log())
          .until(() -> Files.readString(operator.log()).contains("cannot be used"));
      assertThat(operator.get("/q/health/ready").statusCode()).isEqualTo(503);
      files.exchange(TestAuthority.create());
      operator.awaitReady();
      try (WebhookLoad load =
          new WebhookLoad(controlPlane.clientConfig(), webhooks, operator, "")) {
        await(load, "calls", () -> load.certificates() == 1);
        TestAuthority second = TestAuthority.create();
        files.exchange(second);
        await(load, "the same names, another authority", () -> load.certificates() == 2);
        files.exchange(second);
        await(load, "the same authority", () -> load.certificates() == 3);
        files.breakKey();
        await(
            load,
            "the broken key is told; log: " + operator.log(),
            () -> Files.readString(operator.log()).contains("stays in use"));
        int answered = load.direct();
        await(load, "calls go on", () -> load.direct() > answered + 20);
        assertThat(load.certificates()).isEqualTo(3);
        files.exchange(TestAuthority.create());
        await(load, "files that can be used again", () -> load.certificates() == 4);
        load.close();
        print("provided files", load);
        assertThat(load.failures()).as("log: " + operator.log()).isEmpty();
      }
    }
    assertThat(client.secrets().inNamespace(namespace).list().getItems()).isEmpty();
  }

  @Test
  void anApiServerThatIsAwayAtTheStartIsWaitedForWhileTheServerListens() {
    String namespace = controlPlane.createNamespace("away");
    AtomicBoolean away = new AtomicBoolean(true);
    try (ApiProxy proxy = ApiProxy.start(controlPlane.clientConfig())) {
      var unused = proxy.beforeForwarding(request -> away.get() ? Verdict.drop() : Verdict.pass());
      try (OperatorProcess operator =
          OperatorProcess.launchWithWebhooks(proxy.kubeconfig(), settings(namespace))) {
        Awaitility.await("it listens with a temporary certificate; log: " + operator.log())
            .atMost(Duration.ofSeconds(60))
            .until(() -> operator.get("/q/health/ready").body().contains("no certificate yet"));
        assertThatThrownBy(
                () ->
                    WebhookClient.call(
                        operator.webhookUrl() + "/mutate", controlPlane.certificateAuthority(), ""))
            .isInstanceOf(SSLHandshakeException.class);
        assertThat(operator.get("/q/health/live").statusCode()).isNotZero();
        assertThat(operator.isAlive()).isTrue();

        away.set(false);
        operator.awaitReady();
        assertThat(webhooks.urls().get(0)).startsWith(operator.webhookUrl());
      }
    }
  }

  private static void await(WebhookLoad load, String what, Callable<Boolean> condition) {
    Awaitility.await(what)
        .atMost(Duration.ofSeconds(60))
        .failFast(
            () -> {
              if (!load.failures().isEmpty()) {
                Throwable failure = load.failures().get(0);
                throw new AssertionError(what + ": " + failure, failure);
              }
            })
        .until(condition);
  }

  private static void print(String what, WebhookLoad load) {
    System.out.printf(
        "%s: %d jobs through the API server, %d direct calls, %d certificates, %d bundles,"
            + " %d failures%n",
        what,
        load.throughApiServer(),
        load.direct(),
        load.certificates(),
        load.bundles(),
        load.failures().size());
  }

  private static Map<String, String> settings(String namespace) {
    return Map.of(
        "OPERATOR_NAMESPACE",
        namespace,
        "OPERATOR_WATCH_NAMESPACES",
        namespace,
        "OPERATOR_WEBHOOKS_CHECK_INTERVAL",
        "300ms",
        "OPERATOR_WEBHOOKS_TRUST_DELAY",
        "1s");
  }
}
