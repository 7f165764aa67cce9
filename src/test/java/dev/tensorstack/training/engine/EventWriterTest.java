package dev.tensorstack.training.engine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.tensorstack.training.core.report.JobEvent;
import dev.tensorstack.training.world.FreshJob;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Beside an API server that answers each reason as it is told. */
class EventWriterTest {

  private final Map<String, Integer> answers = new ConcurrentHashMap<>();
  private final Set<String> asked = ConcurrentHashMap.newKeySet();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final HttpServer server;
  private final KubernetesClient client;
  private final EventWriter writer;

  EventWriterTest() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.setExecutor(threads);
    server.start();
    client =
        new KubernetesClientBuilder()
            .withConfig(
                new ConfigBuilder()
                    .withMasterUrl("http://127.0.0.1:" + server.getAddress().getPort())
                    .withRequestRetryBackoffLimit(0)
                    .build())
            .build();
    writer = new EventWriter(client, Clock.systemUTC());
  }

  @AfterEach
  void stop() {
    client.close();
    server.stop(0);
    threads.shutdownNow();
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      String body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
      String reason = body.replaceAll("(?s).*\"reason\":\"(\\w+)\".*", "$1");
      asked.add(reason);
      int code = answers.getOrDefault(reason, HttpURLConnection.HTTP_NOT_FOUND);
      byte[] answer =
          (code == HttpURLConnection.HTTP_CREATED
                  ? body
                  : "{\"kind\":\"Status\",\"apiVersion\":\"v1\"}")
              .getBytes(UTF_8);
      exchange.getResponseHeaders().add("Content-Type", "application/json");
      exchange.sendResponseHeaders(code, answer.length);
      exchange.getResponseBody().write(answer);
    }
  }

  private void write(String... reasons) {
    writer.write(
        EventTarget.of(FreshJob.named("ns", "job", "uid")),
        List.of(reasons).stream().map(reason -> new JobEvent(reason, false, 0, "said")).toList());
  }

  @Test
  void anEventThatMayBeTakenLaterIsToldAndTheOthersAreWrittenAllTheSame() {
    answers.putAll(Map.of("Created", 503, "Start", 201, "Running", 201));
    assertThatThrownBy(() -> write("Created", "Start", "Running"))
        .asInstanceOf(type(KubernetesClientException.class))
        .extracting(KubernetesClientException::getCode)
        .isEqualTo(503);
    assertThat(asked).containsExactlyInAnyOrder("Created", "Start", "Running");
  }

  @Test
  void anEventThatIsRefusedForGoodHoldsNothingUp() {
    answers.putAll(Map.of("Created", 403, "Start", 201));
    write("Created", "Start");
    assertThat(asked).containsExactlyInAnyOrder("Created", "Start");
  }

  @Test
  void oneEventAloneIsToldAsWell() {
    answers.put("Failed", 500);
    assertThatThrownBy(() -> write("Failed")).isInstanceOf(KubernetesClientException.class);
  }
}
