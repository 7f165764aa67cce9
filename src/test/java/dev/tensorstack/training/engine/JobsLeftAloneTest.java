package dev.tensorstack.training.engine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.tensorstack.training.kind.pytorchjob.PyTorchJobKind;
import dev.tensorstack.training.kind.pytorchjob.PyTorchJobSettings;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJob;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Beside an API server that counts what it is asked. */
class JobsLeftAloneTest {

  private final List<String> requests = new CopyOnWriteArrayList<>();
  private volatile int code = HttpURLConnection.HTTP_CREATED;
  private final HttpServer server;
  private final KubernetesClient client;
  private final JobsLeftAlone<PyTorchJob> leftAlone;

  JobsLeftAloneTest() throws IOException {
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
    leftAlone =
        new JobsLeftAlone<>(
            new PyTorchJobKind(PyTorchJobSettings.PLAIN),
            new EventWriter(client, Clock.systemUTC()),
            new JobMemories(),
            key -> true);
  }

  @AfterEach
  void stop() {
    client.close();
    server.stop(0);
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      requests.add(exchange.getRequestMethod());
      byte[] body = exchange.getRequestBody().readAllBytes();
      byte[] answer =
          code == HttpURLConnection.HTTP_CREATED
              ? body
              : "{\"kind\":\"Status\",\"apiVersion\":\"v1\"}".getBytes(UTF_8);
      exchange.getResponseHeaders().add("Content-Type", "application/json");
      exchange.sendResponseHeaders(code, answer.length);
      exchange.getResponseBody().write(answer);
    }
  }

  private static PyTorchJob job(String uid, String manager) {
    return Serialization.unmarshal(
        """
        apiVersion: kubeflow.org/v1
        kind: PyTorchJob
        metadata: {namespace: ns, name: job, uid: %s}
        spec: {runPolicy: {managedBy: %s}, pytorchReplicaSpecs: {}}
        """
            .formatted(uid, manager),
        PyTorchJob.class);
  }

  @Test
  void oneIsToldOnceHoweverOftenItIsLookedAt() {
    for (int look = 0; look < 5; look++) {
      leftAlone.report(job("u1", "example.com/other"));
    }
    assertThat(requests).containsExactly("POST");
  }

  @Test
  void anotherManagerOrAnotherJobOfTheNameIsNews() {
    leftAlone.report(job("u1", "example.com/other"));
    leftAlone.report(job("u1", "example.com/third"));
    leftAlone.report(job("u2", "example.com/third"));
    assertThat(requests).hasSize(3);
  }

  @Test
  void whatCouldNotBeToldIsToldAtTheNextLook() {
    code = HttpURLConnection.HTTP_UNAVAILABLE;
    assertThatThrownBy(() -> leftAlone.report(job("u1", "example.com/other")))
        .isInstanceOf(KubernetesClientException.class);
    code = HttpURLConnection.HTTP_CREATED;
    leftAlone.report(job("u1", "example.com/other"));
    leftAlone.report(job("u1", "example.com/other"));
    assertThat(requests).hasSize(2);
  }

  @Test
  void aJobOfAnotherKnownManagerIsToldNothing() {
    leftAlone.report(job("u1", "kueue.x-k8s.io/multikueue"));
    assertThat(requests).isEmpty();
  }
}
