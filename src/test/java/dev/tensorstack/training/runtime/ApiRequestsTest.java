package dev.tensorstack.training.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.sun.net.httpserver.HttpServer;
import dev.tensorstack.training.core.naming.Metric;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ApiRequestsTest {

  private static final byte[] EMPTY =
      "{\"kind\":\"ConfigMapList\",\"apiVersion\":\"v1\",\"items\":[]}"
          .getBytes(StandardCharsets.UTF_8);

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final HttpServer server;
  private final KubernetesClient client;

  ApiRequestsTest() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          exchange.getRequestBody().readAllBytes();
          boolean known =
              exchange.getRequestURI().getPath().endsWith("/configmaps")
                  && exchange.getRequestURI().getQuery() == null;
          exchange.getResponseHeaders().add("Content-Type", "application/json");
          exchange.sendResponseHeaders(known ? 200 : 404, known ? EMPTY.length : -1);
          if (known) {
            exchange.getResponseBody().write(EMPTY);
          }
          exchange.close();
        });
    server.start();
    client =
        ApiRequests.counting(new KubernetesClientBuilder(), registry)
            .withConfig(
                new ConfigBuilder()
                    .withMasterUrl("http://localhost:" + server.getAddress().getPort())
                    .withRequestRetryBackoffLimit(0)
                    .withConnectionTimeout(5000)
                    .build())
            .build();
  }

  @AfterEach
  void close() {
    client.close();
    server.stop(0);
  }

  private double sent(String method) {
    var counter = registry.find(Metric.API_REQUESTS.meter()).tag("method", method).counter();
    return counter == null ? 0 : counter.count();
  }

  private double answered(String method, String code) {
    var counter =
        registry.find(Metric.API_RESPONSES.meter()).tags("method", method, "code", code).counter();
    return counter == null ? 0 : counter.count();
  }

  private long timed(String method) {
    var timer = registry.find(Metric.API_REQUEST.meter()).tag("method", method).timer();
    return timer == null ? 0 : timer.count();
  }

  @Test
  void requestsAreCountedByMethodAndAnswer() {
    client.configMaps().inNamespace("a").list();
    assertThat(client.configMaps().inNamespace("a").withName("none").get()).isNull();
    client.configMaps().inNamespace("a").withName("none").delete();

    assertThat(sent("GET")).isEqualTo(2);
    assertThat(sent("DELETE")).isEqualTo(1);
    assertThat(answered("GET", "200")).isEqualTo(1);
    assertThat(answered("GET", "404")).isEqualTo(1);
    assertThat(answered("DELETE", "404")).isEqualTo(1);
    assertThat(timed("GET")).isEqualTo(2);
    assertThat(timed("DELETE")).isEqualTo(1);
  }

  @Test
  void watchesAreCountedApartAndNotTimed() {
    Watcher<ConfigMap> watcher =
        new Watcher<>() {
          @Override
          public void eventReceived(Action action, ConfigMap resource) {}

          @Override
          public void onClose(@Nullable WatcherException cause) {}
        };
    assertThat(catchThrowable(() -> client.configMaps().inNamespace("a").watch(watcher)))
        .isNotNull();

    assertThat(sent(ApiRequests.WATCH)).isPositive();
    assertThat(answered(ApiRequests.WATCH, "404")).isEqualTo(sent(ApiRequests.WATCH));
    assertThat(sent("GET")).isZero();
    assertThat(timed(ApiRequests.WATCH)).isZero();
  }

  @Test
  void requestsWithoutAnAnswerAreSentAndNotAnswered() {
    server.stop(0);

    assertThat(catchThrowable(() -> client.configMaps().inNamespace("a").list())).isNotNull();

    assertThat(sent("GET")).isEqualTo(1);
    assertThat(registry.find(Metric.API_RESPONSES.meter()).counters()).isEmpty();
    assertThat(timed("GET")).isZero();
  }
}
