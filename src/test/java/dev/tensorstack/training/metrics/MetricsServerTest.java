package dev.tensorstack.training.metrics;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the server answers by itself, and that it answers while others wait; without TLS. */
class MetricsServerTest {

  private static final Duration LIMIT = Duration.ofMinutes(2);

  private final Vertx vertx = Vertx.vertx();
  private final CountDownLatch asked = new CountDownLatch(1);
  private final CountDownLatch release = new CountDownLatch(1);
  private final MetricsServer server =
      new MetricsServer(
          vertx, new MetricsHandler(this::review, format -> "m 1\n", "reader", Clock.systemUTC()));
  private final HttpServer plain = vertx.createHttpServer().requestHandler(server::receive);

  private Verdict review(String token) {
    if (token.equals("slow")) {
      asked.countDown();
      await(release);
    }
    if (token.equals("broken")) {
      throw new IllegalStateException("no JSON");
    }
    return new Verdict(Verdict.Access.ALLOWED, "u");
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  @BeforeEach
  void start() throws Exception {
    plain
        .listen(0, "127.0.0.1")
        .toCompletionStage()
        .toCompletableFuture()
        .get(LIMIT.toSeconds(), TimeUnit.SECONDS);
  }

  @AfterEach
  void stop() {
    release.countDown();
    server.stop();
    vertx.close();
  }

  private HttpURLConnection ask(String method, String path, @Nullable String token)
      throws IOException {
    HttpURLConnection connection =
        (HttpURLConnection)
            URI.create("http://127.0.0.1:" + plain.actualPort() + path).toURL().openConnection();
    connection.setRequestMethod(method);
    connection.setConnectTimeout((int) LIMIT.toMillis());
    connection.setReadTimeout((int) LIMIT.toMillis());
    if (token != null) {
      connection.setRequestProperty("Authorization", "Bearer " + token);
    }
    int unused = connection.getResponseCode();
    return connection;
  }

  @Test
  void metricsAreAtOnePathAndReadWithGet() throws IOException {
    HttpURLConnection good = ask("GET", "/metrics", "t");
    assertThat(good.getResponseCode()).isEqualTo(200);
    assertThat(good.getHeaderField("Connection")).isEqualTo("close");
    assertThat(new String(good.getInputStream().readAllBytes(), UTF_8)).isEqualTo("m 1\n");

    HttpURLConnection without = ask("GET", "/metrics", null);
    assertThat(without.getResponseCode()).isEqualTo(401);
    assertThat(without.getHeaderField("WWW-Authenticate")).isEqualTo("Bearer");

    HttpURLConnection post = ask("POST", "/metrics", "t");
    assertThat(post.getResponseCode()).isEqualTo(405);
    assertThat(post.getHeaderField("Allow")).isEqualTo("GET");
    assertThat(ask("GET", "/q/metrics", "t").getResponseCode()).isEqualTo(404);
  }

  @Test
  void whatCannotBeDecidedIsUnavailable() throws IOException {
    HttpURLConnection broken = ask("GET", "/metrics", "broken");

    assertThat(broken.getResponseCode()).isEqualTo(503);
    assertThat(broken.getHeaderField("Retry-After")).isNotBlank();
  }

  @Test
  void othersAreAnsweredWhileTheApiServerIsSlow() throws Exception {
    CompletableFuture<Integer> slow =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return ask("GET", "/metrics", "slow").getResponseCode();
              } catch (IOException problem) {
                throw new IllegalStateException(problem);
              }
            });
    await(asked);

    assertThat(ask("GET", "/metrics", "t").getResponseCode()).isEqualTo(200);
    assertThat(slow).isNotDone();
    release.countDown();
    assertThat(slow.get(LIMIT.toSeconds(), TimeUnit.SECONDS)).isEqualTo(200);
  }
}
