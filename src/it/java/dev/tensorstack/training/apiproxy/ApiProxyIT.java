package dev.tensorstack.training.apiproxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.controlplane.ControlPlaneExtension;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The proxy passes everything on, and does what hooks say. */
@ExtendWith(ControlPlaneExtension.class)
class ApiProxyIT {

  private final KubernetesClient direct;
  private final ApiProxy proxy;
  private final KubernetesClient client;
  private final String namespace;

  ApiProxyIT(ControlPlane controlPlane, KubernetesClient direct) throws IOException {
    this.direct = direct;
    namespace = controlPlane.createNamespace("proxy");
    proxy = ApiProxy.start(controlPlane.clientConfig());
    Config config =
        new ConfigBuilder(Config.fromKubeconfig(Files.readString(proxy.kubeconfig())))
            .withRequestRetryBackoffLimit(0)
            .build();
    client = new KubernetesClientBuilder().withConfig(config).build();
  }

  @AfterEach
  void stop() {
    client.close();
    proxy.close();
  }

  private ConfigMap map(String name, String value) {
    return new ConfigMapBuilder()
        .withNewMetadata()
        .withName(name)
        .withNamespace(namespace)
        .endMetadata()
        .withData(Map.of("value", value))
        .build();
  }

  private boolean exists(String name) {
    return direct.configMaps().inNamespace(namespace).withName(name).get() != null;
  }

  @Test
  void requestsAreForwardedAndRecorded() {
    proxy.keepBodies();
    String large = "x".repeat(300_000);
    client.resource(map("a", large)).create();
    client.resource(map("a", "b")).update();
    assertThatThrownBy(() -> client.resource(map("a", "c")).create())
        .isInstanceOf(KubernetesClientException.class);
    assertThat(client.configMaps().inNamespace(namespace).list().getItems()).isNotEmpty();
    client.configMaps().inNamespace(namespace).withName("a").delete();

    assertThat(proxy.writes())
        .extracting(ApiRequest::toString)
        .containsExactly(
            "create configmaps " + namespace + " -> 201",
            "update configmaps " + namespace + "/a -> 200",
            "create configmaps " + namespace + " -> 409",
            "delete configmaps " + namespace + "/a -> 200");
    assertThat(proxy.writes().get(0).body()).contains(large);
    assertThat(proxy.requests(request -> request.is("list", "configmaps"))).hasSize(1);
  }

  @Test
  void watchesAreStreamed() throws IOException {
    List<String> seen = new CopyOnWriteArrayList<>();
    try (var watch =
        client
            .configMaps()
            .inNamespace(namespace)
            .watch(
                new Watcher<ConfigMap>() {
                  @Override
                  public void eventReceived(Action action, ConfigMap object) {
                    seen.add(action + " " + object.getMetadata().getName());
                  }

                  @Override
                  public void onClose(WatcherException cause) {}
                })) {
      direct.resource(map("streamed", "1")).create();
      await().atMost(Duration.ofSeconds(10)).until(() -> seen.contains("ADDED streamed"));
      direct.resource(map("streamed", "2")).update();
      await().atMost(Duration.ofSeconds(10)).until(() -> seen.contains("MODIFIED streamed"));
    }
    assertThat(proxy.requests(request -> request.is("watch", "configmaps")))
        .as("by WebSocket")
        .extracting(ApiRequest::code)
        .contains(101);

    HttpURLConnection plain =
        (HttpURLConnection)
            URI.create(
                    proxy.url()
                        + "/api/v1/namespaces/"
                        + namespace
                        + "/configmaps?watch=true&timeoutSeconds=30")
                .toURL()
                .openConnection();
    plain.setReadTimeout(10_000);
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(plain.getInputStream(), StandardCharsets.UTF_8))) {
      String line = lines.readLine();
      while (!line.contains("\"streamed\"")) {
        line = lines.readLine();
      }
      direct.resource(map("chunked", "1")).create();
      assertThat(lines.readLine()).as("by chunks").contains("ADDED").contains("\"chunked\"");
    } finally {
      plain.disconnect();
    }
  }

  @Test
  void anInjectedAnswerNeverReachesTheServer() {
    try (ApiProxy.Hook hook =
        proxy.beforeForwarding(
            ApiProxy.first(1, ApiRequest::isWrite, Verdict.answer(409, "Conflict")))) {
      assertThatThrownBy(() -> client.resource(map("refused", "1")).create())
          .isInstanceOfSatisfying(
              KubernetesClientException.class,
              refusal -> assertThat(refusal.getCode()).isEqualTo(409));
      assertThat(exists("refused")).isFalse();
      client.resource(map("refused", "1")).create();
    }
    assertThat(exists("refused")).isTrue();
    assertThat(proxy.writes()).extracting(ApiRequest::code).containsExactly(409, 201);
  }

  @Test
  void aRequestCanBeDroppedBeforeOrAfterTheServerDidIt() {
    try (ApiProxy.Hook hook =
        proxy.beforeForwarding(ApiProxy.first(1, ApiRequest::isWrite, Verdict.drop()))) {
      assertThatThrownBy(() -> client.resource(map("before", "1")).create())
          .isInstanceOf(KubernetesClientException.class);
    }
    assertThat(exists("before")).isFalse();
    try (ApiProxy.Hook hook =
        proxy.beforeAnswering(ApiProxy.first(1, ApiRequest::isWrite, Verdict.drop()))) {
      assertThatThrownBy(() -> client.resource(map("after", "1")).create())
          .isInstanceOf(KubernetesClientException.class);
    }
    assertThat(exists("after")).isTrue();
    assertThat(proxy.writes()).extracting(ApiRequest::code).containsExactly(0, 201);
  }

  @Test
  void aDelayHoldsUpOnlyWhatItIsMeantFor() {
    try (ApiProxy.Hook hook =
        proxy.beforeForwarding(
            ApiProxy.delay(1_000, request -> request.body().contains("\"slow\"")))) {
      long begin = System.nanoTime();
      client.resource(map("quick", "1")).create();
      long quick = System.nanoTime();
      client.resource(map("slow", "1")).create();
      assertThat(Duration.ofNanos(quick - begin)).isLessThan(Duration.ofMillis(900));
      assertThat(Duration.ofNanos(System.nanoTime() - quick)).isGreaterThan(Duration.ofMillis(990));
    }
  }

  @Test
  void manyRequestsAtOnceKeepTheirAnswers() {
    IntStream.range(0, 400)
        .parallel()
        .forEach(
            i ->
                assertThat(client.resource(map("m-" + i, "v" + i)).create().getData())
                    .containsEntry("value", "v" + i));
    assertThat(client.configMaps().inNamespace(namespace).list().getItems())
        .hasSizeGreaterThan(399);
    assertThat(proxy.writes()).hasSize(400).allMatch(write -> write.code() == 201);
  }
}
