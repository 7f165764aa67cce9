package dev.tensorstack.training.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Five thousand nodes are 75 MB of text: no answer holds them all. */
class NodesInPartsTest {

  private static final String NODES = "/api/v1/nodes";

  private final List<String> lists = new CopyOnWriteArrayList<>();
  private final List<String> changed = new CopyOnWriteArrayList<>();
  private final AtomicBoolean expires = new AtomicBoolean();
  private final LostNodes nodes = new LostNodes(Clock.systemUTC());
  private final HttpServer server;
  private final KubernetesClient client;

  NodesInPartsTest() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
    client =
        new KubernetesClientBuilder()
            .withConfig(
                new ConfigBuilder()
                    .withMasterUrl("http://127.0.0.1:" + server.getAddress().getPort())
                    .withRequestRetryBackoffLimit(0)
                    .build())
            .build();
    nodes.listen(
        new LostNodes.Listener() {
          @Override
          public void changed(String node) {
            changed.add(node);
          }

          @Override
          public void complete() {
            // The parts are of interest here.
          }
        });
  }

  @AfterEach
  void stop() {
    client.close();
    server.stop(0);
  }

  /** One node in a part; all of them are lost, so that each is told. */
  private void answer(HttpExchange exchange) throws IOException {
    String query = String.valueOf(exchange.getRequestURI().getQuery());
    boolean isList = exchange.getRequestURI().getPath().equals(NODES) && !query.contains("watch=");
    if (!isList) {
      answer(exchange, HttpURLConnection.HTTP_UNAVAILABLE, "{}");
      return;
    }
    lists.add(query);
    if (!query.contains("continue=")) {
      answer(exchange, HttpURLConnection.HTTP_OK, part("n1", "second"));
    } else if (expires.compareAndSet(true, false)) {
      answer(
          exchange,
          HttpURLConnection.HTTP_GONE,
          "{\"kind\": \"Status\", \"apiVersion\": \"v1\", \"code\": 410, \"reason\": \"Expired\"}");
    } else {
      answer(exchange, HttpURLConnection.HTTP_OK, part("n2", ""));
    }
  }

  private static String part(String node, String next) {
    return """
    {"kind": "NodeList", "apiVersion": "v1", "metadata": {"resourceVersion": "7", "continue": "%s"},
     "items": [{"metadata": {"name": "%s", "uid": "u", "resourceVersion": "7"},
                "spec": {"taints": [{"key": "node.kubernetes.io/out-of-service"}]}}]}
    """
        .formatted(next, node);
  }

  private static void answer(HttpExchange exchange, int code, String body) throws IOException {
    byte[] text = body.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().add("Content-Type", "application/json");
    exchange.sendResponseHeaders(code, text.length);
    exchange.getResponseBody().write(text);
    exchange.close();
  }

  @Test
  void nodesAreAskedForInParts() {
    nodes.watch(client);

    awaitBoth();
    assertThat(lists)
        .allMatch(query -> query.contains("limit="))
        .anyMatch(query -> query.contains("limit=500") && query.contains("continue=second"));
  }

  /** etcd keeps a version for five minutes: a list that takes longer begins anew. */
  @Test
  void aListWhoseNextPartHasExpiredBeginsAgain() {
    expires.set(true);

    nodes.watch(client);

    awaitBoth();
    assertThat(lists.stream().filter(query -> query.contains("continue=second")).count())
        .isGreaterThanOrEqualTo(2);
  }

  private void awaitBoth() {
    await()
        .atMost(Duration.ofSeconds(20))
        .untilAsserted(() -> assertThat(changed).contains("n1", "n2"));
  }
}
