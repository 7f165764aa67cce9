package dev.tensorstack.training.monitoring;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tensorstack.training.chart.ChartFiles;
import dev.tensorstack.training.chart.Helm;
import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.controlplane.LoopbackPorts;
import dev.tensorstack.training.controlplane.TrustedAuthority;
import dev.tensorstack.training.operator.OperatorProcess;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Metrics over HTTPS as the chart sets them up: two operators with the chart's rights and no
 * others, service accounts that are bound to the chart's ClusterRole or not, and a real Prometheus
 * that does what the chart's ServiceMonitor says.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class SecureMetricsIT {

  private static final String SECURE = "metrics.secure.enabled=true";
  private static final String READER = Helm.RELEASE + "-metrics-reader";
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final ControlPlane controlPlane = ControlPlane.start();
  private final List<JsonNode> objects =
      ChartFiles.documents(
          Helm.withoutCluster()
              .template("--set", SECURE + ",metrics.serviceMonitor.enabled=true")
              .orThrow());
  private final JsonNode endpoint =
      ChartFiles.ofKind(objects, "ServiceMonitor").get(0).at("/spec/endpoints/0");
  private final List<Integer> ports = new ArrayList<>();
  private final List<OperatorProcess> operators = new ArrayList<>();

  SecureMetricsIT() {
    controlPlane
        .client()
        .namespaces()
        .resource(
            new NamespaceBuilder().withNewMetadata().withName(Helm.NAMESPACE).endMetadata().build())
        .create();
    Helm.on(controlPlane.kubeconfig())
        .run(
            "install",
            Helm.RELEASE,
            ChartFiles.CHART.toString(),
            "--namespace",
            Helm.NAMESPACE,
            "--set",
            SECURE + ",webhook.failurePolicy=Ignore,tests.enabled=false")
        .orThrow();
    for (String account : List.of("prometheus", "somebody", "later")) {
      kubectl("create", "serviceaccount", account, "-n", "default");
    }
    bind("prometheus");
    Path kubeconfig = controlPlane.serviceAccountKubeconfig(Helm.NAMESPACE, Helm.RELEASE);
    for (int i = 0; i < 2; i++) {
      int port = LoopbackPorts.next();
      ports.add(port);
      operators.add(OperatorProcess.launch(kubeconfig, environment(port)));
    }
    operators.forEach(OperatorProcess::awaitReady);
  }

  @AfterAll
  void stop() {
    operators.forEach(OperatorProcess::close);
    controlPlane.close();
  }

  /** What the Deployment sets; of the ports, only the numbers are this test's. */
  private Map<String, String> environment(int port) {
    Map<String, String> environment = new LinkedHashMap<>();
    ChartFiles.ofKind(objects, "Deployment")
        .get(0)
        .at("/spec/template/spec/containers/0/env")
        .forEach(
            variable ->
                environment.put(
                    variable.path("name").asText(),
                    variable.has("valueFrom") ? Helm.NAMESPACE : variable.path("value").asText()));
    environment.remove("QUARKUS_HTTP_SSL_PORT");
    environment.remove("QUARKUS_MANAGEMENT_PORT");
    environment.put("OPERATOR_PROGRESS_PORT", Integer.toString(LoopbackPorts.next()));
    environment.put("OPERATOR_METRICS_SECURE_PORT", Integer.toString(port));
    environment.put("OPERATOR_WEBHOOKS_CHECK_INTERVAL", "1s");
    return environment;
  }

  private String kubectl(String... arguments) {
    return controlPlane.kubectl(arguments).orThrow().strip();
  }

  private void bind(String account) {
    kubectl(
        "create",
        "clusterrolebinding",
        "reads-metrics-" + account,
        "--clusterrole=" + READER,
        "--serviceaccount=default:" + account);
  }

  private String token(String account, String... more) {
    List<String> arguments =
        new ArrayList<>(List.of("create", "token", account, "-n", "default", "--duration=1h"));
    arguments.addAll(List.of(more));
    return kubectl(arguments.toArray(String[]::new));
  }

  private String authorities() {
    JsonNode secret = endpoint.at("/tlsConfig/ca/secret");
    return new String(
        Base64.getDecoder()
            .decode(
                controlPlane
                    .client()
                    .secrets()
                    .inNamespace(Helm.NAMESPACE)
                    .withName(secret.path("name").asText())
                    .get()
                    .getData()
                    .get(secret.path("key").asText())),
        UTF_8);
  }

  private String serverName() {
    return endpoint.at("/tlsConfig/serverName").asText();
  }

  private String scrape(@Nullable String token, String... headers) throws IOException {
    return ask(ports.get(0), serverName(), "GET " + endpoint.path("path").asText(), token, headers);
  }

  /** Asks as Prometheus does: at an address, with the name that the certificate must have. */
  private String ask(int port, String name, String what, @Nullable String token, String... headers)
      throws IOException {
    try (Socket plain = new Socket("127.0.0.1", port);
        SSLSocket socket =
            (SSLSocket)
                TrustedAuthority.context(authorities())
                    .getSocketFactory()
                    .createSocket(plain, name, port, true)) {
      plain.setSoTimeout((int) PATIENCE.toMillis());
      SSLParameters parameters = socket.getSSLParameters();
      parameters.setEndpointIdentificationAlgorithm("HTTPS");
      socket.setSSLParameters(parameters);
      StringBuilder request = new StringBuilder(what + " HTTP/1.1\r\nHost: " + name + "\r\n");
      if (token != null) {
        request.append("Authorization: Bearer ").append(token).append("\r\n");
      }
      for (String header : headers) {
        request.append(header).append("\r\n");
      }
      socket.getOutputStream().write(request.append("\r\n").toString().getBytes(UTF_8));
      return new String(socket.getInputStream().readAllBytes(), UTF_8);
    }
  }

  private String askUntilServed(String token) {
    return await("the certificate of the Secret; log: " + operators.get(0).log())
        .atMost(PATIENCE)
        .ignoreExceptionsInstanceOf(IOException.class)
        .until(() -> scrape(token), answer -> answer.startsWith("HTTP/1.1 200"));
  }

  @Order(1)
  @Test
  void whoIsBoundToTheChartsRoleReadsThemInBothFormats() throws IOException {
    String token = token("prometheus");

    assertThat(askUntilServed(token))
        .containsIgnoringCase("content-type: application/openmetrics-text; version=1.0.0")
        .contains("pytorchtrainingjob_operator_leader", "# EOF");
    assertThat(scrape(token, "Accept: text/plain;version=0.0.4"))
        .containsIgnoringCase("content-type: text/plain; version=0.0.4")
        .contains("pytorchtrainingjob_operator_leader", "pytorchtrainingjob_pods_created_total")
        .doesNotContain("# EOF");
  }

  @Order(2)
  @Test
  void nobodyElseReadsThemAndIsToldWhy() throws IOException {
    String somebodys = token("somebody");
    String good = token("prometheus");

    assertThat(scrape(null)).startsWith("HTTP/1.1 401").contains("Authorization: Bearer TOKEN");
    assertThat(scrape(good.substring(0, good.length() - 6) + "AAAAAA")).startsWith("HTTP/1.1 401");
    assertThat(scrape(token("prometheus", "--audience=progress.batch.tensorstack.dev")))
        .as("a token for something else")
        .startsWith("HTTP/1.1 401");
    assertThat(scrape(somebodys))
        .startsWith("HTTP/1.1 403")
        .contains("user system:serviceaccount:default:somebody may not get /metrics", READER)
        .doesNotContain("pytorchtrainingjob_operator_leader");
    assertThat(ask(ports.get(0), serverName(), "POST /metrics", good)).startsWith("HTTP/1.1 405");
    assertThat(ask(ports.get(0), serverName(), "GET /q/metrics", good)).startsWith("HTTP/1.1 404");
    assertThat(Files.readString(operators.get(0).log())).doesNotContain(somebodys, good);
  }

  @Order(2)
  @Test
  void aRightThatIsGivenIsSeenWithinSeconds() throws IOException {
    String token = token("later");
    assertThat(scrape(token)).startsWith("HTTP/1.1 403");

    bind("later");

    await("a verdict grows old")
        .atMost(Duration.ofSeconds(30))
        .pollInterval(Duration.ofSeconds(1))
        .until(() -> scrape(token).startsWith("HTTP/1.1 200"));
  }

  @Order(2)
  @ParameterizedTest
  @ValueSource(
      strings = {
        "/q/metrics",
        "/q/metrics/",
        "/q/health/../metrics",
        "/q/health/%2e%2e/metrics",
        "//q/metrics",
        "/metrics"
      })
  void thePortOfHealthHasNoneAndSaysWhereTheyAre(String path) {
    OperatorProcess.Answer answer = operators.get(0).get(path);

    assertThat(answer.statusCode()).isIn(403, 404);
    assertThat(answer.body()).doesNotContain("pytorchtrainingjob_operator_leader");
    if (path.equals("/q/metrics")) {
      assertThat(answer.statusCode()).isEqualTo(403);
      assertThat(answer.body())
          .contains("OPERATOR_METRICS_SECURE is true", "https on port " + ports.get(0));
    }
    assertThat(operators.get(0).get("/q/health/live").statusCode()).isEqualTo(200);
    assertThat(operators.get(0).get("/q/health/ready").statusCode()).isEqualTo(200);
  }

  @Order(2)
  @Test
  void theCertificateIsForTheServicesAndNoOtherName() throws IOException {
    String token = token("prometheus");
    for (String name : List.of("-metrics", "-webhook")) {
      String service = Helm.RELEASE + name + "." + Helm.NAMESPACE + ".svc";
      assertThat(ask(ports.get(0), service, "GET /metrics", token)).startsWith("HTTP/1.1 200");
    }
    assertThatThrownBy(() -> ask(ports.get(0), "other.example", "GET /metrics", token))
        .isInstanceOf(SSLHandshakeException.class);
  }

  @Order(3)
  @Test
  void aPrometheusThatDoesAsTheServiceMonitorSaysReadsAllReplicas() throws IOException {
    Map<String, Object> configuration = new LinkedHashMap<>();
    configuration.put("global", Map.of("scrape_interval", "1s"));
    configuration.put(
        "scrape_configs", List.of(job("bound", "prometheus"), job("unbound", "somebody")));
    try (Prometheus prometheus = Prometheus.start(configuration)) {
      await("both replicas, one of which leads")
          .atMost(PATIENCE)
          .pollInterval(Duration.ofSeconds(1))
          .untilAsserted(
              () -> {
                assertThat(prometheus.now("sum(up{job=\"bound\"}) == 2")).hasSize(1);
                assertThat(
                        prometheus.now(
                            "sum(pytorchtrainingjob_operator_leader{job=\"bound\"}) == 1"))
                    .hasSize(1);
                assertThat(prometheus.now("sum(up{job=\"unbound\"}) == 0")).hasSize(1);
              });
      assertThat(prometheus.now("pytorchtrainingjob_operator_leader{job=\"unbound\"}")).isEmpty();
    }
  }

  /** What the Prometheus operator makes of the ServiceMonitor, with the targets named. */
  private Map<String, Object> job(String name, String account) throws IOException {
    Path folder = Files.createTempDirectory("scrape-");
    assertThat(endpoint.path("bearerTokenFile").asText()).isNotBlank();
    return Map.of(
        "job_name",
        name,
        "scheme",
        endpoint.path("scheme").asText(),
        "metrics_path",
        endpoint.path("path").asText(),
        "authorization",
        Map.of(
            "credentials_file",
            Files.writeString(folder.resolve("token"), token(account)).toString()),
        "tls_config",
        Map.of(
            "ca_file",
            Files.writeString(folder.resolve("ca.crt"), authorities()).toString(),
            "server_name",
            serverName()),
        "static_configs",
        List.of(Map.of("targets", ports.stream().map(port -> "127.0.0.1:" + port).toList())));
  }

  @Order(4)
  @Test
  void withoutTheRightToAskNobodyReadsThemUntilItIsThereAgain() {
    String binding = Helm.RELEASE + "-metrics-reviews";
    String fresh = token("prometheus", "--duration=2h");
    kubectl("delete", "clusterrolebinding", binding);

    await("the API server has noticed")
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                assertThat(scrape(token("prometheus")))
                    .startsWith("HTTP/1.1 503")
                    .contains("the operator may not ask the API server"));
    try {
      assertThat(Files.readString(operators.get(0).log()))
          .contains("metrics are not told", "subjectaccessreviews.authorization.k8s.io");
    } catch (IOException problem) {
      throw new UncheckedIOException(problem);
    }

    kubectl(
        "create",
        "clusterrolebinding",
        binding,
        "--clusterrole=" + binding,
        "--serviceaccount=" + Helm.NAMESPACE + ":" + Helm.RELEASE);
    await("a failure is not kept")
        .atMost(Duration.ofSeconds(20))
        .until(() -> scrape(fresh).startsWith("HTTP/1.1 200"));
  }
}
