package dev.tensorstack.training.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tensorstack.training.tls.certificate.ServedCertificate;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the server answers by itself, and that it answers while others wait. */
class MetricsServerTest {

  private static final Duration LIMIT = Duration.ofMinutes(2);

  private final Vertx vertx = Vertx.vertx();
  private final CountDownLatch release = new CountDownLatch(1);
  private final MetricsServer server =
      new MetricsServer(
          vertx, new MetricsHandler(this::review, format -> "m 1\n", "reader", Clock.systemUTC()));

  private Verdict review(String token) {
    if (token.equals("slow")) {
      try {
        assertThat(release.await(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
      }
    }
    if (token.equals("broken")) {
      throw new IllegalStateException("no JSON");
    }
    return new Verdict(Verdict.Access.ALLOWED, "u");
  }

  @BeforeEach
  void start() {
    server.start("127.0.0.1", 0, new ServedCertificate(Clock.systemUTC()).keys());
    // The first handshake of a process takes long where processors are busy.
    await()
        .atMost(LIMIT)
        .ignoreExceptionsInstanceOf(IOException.class)
        .until(
            () ->
                server.port() > 0 && connect("GET", "/metrics", "first").getResponseCode() == 200);
  }

  @AfterEach
  void stop() {
    release.countDown();
    server.stop();
    vertx.close();
  }

  private HttpsURLConnection connect(String method, String path, @Nullable String token)
      throws IOException {
    HttpsURLConnection connection =
        (HttpsURLConnection)
            URI.create("https://127.0.0.1:" + server.port() + path).toURL().openConnection();
    connection.setSSLSocketFactory(trustingAll().getSocketFactory());
    connection.setHostnameVerifier((host, session) -> true);
    connection.setRequestMethod(method);
    connection.setConnectTimeout((int) LIMIT.toMillis());
    connection.setReadTimeout((int) LIMIT.toMillis());
    if (token != null) {
      connection.setRequestProperty("Authorization", "Bearer " + token);
    }
    return connection;
  }

  /** The certificate is the temporary one of a start. */
  private static SSLContext trustingAll() {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(
          null,
          new TrustManager[] {
            new X509TrustManager() {
              @Override
              public void checkClientTrusted(X509Certificate[] chain, String type) {}

              @Override
              public void checkServerTrusted(X509Certificate[] chain, String type) {}

              @Override
              public X509Certificate[] getAcceptedIssuers() {
                return new X509Certificate[0];
              }
            }
          },
          null);
      return context;
    } catch (GeneralSecurityException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  @Test
  void metricsAreAtOnePathAndReadWithGet() throws IOException {
    HttpsURLConnection good = connect("GET", "/metrics", "t");
    assertThat(good.getResponseCode()).isEqualTo(200);
    assertThat(new String(good.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
        .isEqualTo("m 1\n");

    HttpsURLConnection without = connect("GET", "/metrics", null);
    assertThat(without.getResponseCode()).isEqualTo(401);
    assertThat(without.getHeaderField("WWW-Authenticate")).isEqualTo("Bearer");

    HttpsURLConnection post = connect("POST", "/metrics", "t");
    assertThat(post.getResponseCode()).isEqualTo(405);
    assertThat(post.getHeaderField("Allow")).isEqualTo("GET");
    assertThat(connect("GET", "/q/metrics", "t").getResponseCode()).isEqualTo(404);
  }

  @Test
  void whatCannotBeDecidedIsUnavailable() throws IOException {
    HttpsURLConnection broken = connect("GET", "/metrics", "broken");

    assertThat(broken.getResponseCode()).isEqualTo(503);
    assertThat(broken.getHeaderField("Retry-After")).isNotBlank();
  }

  @Test
  void othersAreAnsweredWhileTheApiServerIsSlow() throws Exception {
    Thread slow =
        new Thread(
            () -> {
              try {
                assertThat(connect("GET", "/metrics", "slow").getResponseCode()).isEqualTo(200);
              } catch (IOException problem) {
                throw new IllegalStateException(problem);
              }
            });
    slow.start();

    assertThat(connect("GET", "/metrics", "t").getResponseCode()).isEqualTo(200);
    release.countDown();
    slow.join(LIMIT.toMillis());
    assertThat(slow.isAlive()).isFalse();
  }
}
