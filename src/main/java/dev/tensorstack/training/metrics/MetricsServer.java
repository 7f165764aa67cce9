package dev.tensorstack.training.metrics;

import dev.tensorstack.training.engine.DaemonThreads;
import dev.tensorstack.training.https.BearerToken;
import dev.tensorstack.training.https.ConnectionLimits;
import dev.tensorstack.training.https.HttpsListener;
import dev.tensorstack.training.https.PortMessages;
import dev.tensorstack.training.https.TooManyConnections;
import dev.tensorstack.training.metrics.MetricsAnswer.Refusal;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.net.KeyCertOptions;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;

/**
 * The HTTPS server of the metrics. It has connections, limits and workers of its own; a connection
 * is for one answer.
 */
final class MetricsServer {

  private static final Logger LOG = Logger.getLogger(MetricsServer.class);

  private static final int CONNECTIONS = 200;
  private static final int OF_ONE_ADDRESS = 20;

  /** As long as a scrape takes at most. */
  private static final ConnectionLimits LIMITS =
      new ConnectionLimits(CONNECTIONS, OF_ONE_ADDRESS, Duration.ofSeconds(60));

  private static final PortMessages MESSAGES =
      new PortMessages(
          "metrics are served over HTTPS",
          "metrics cannot be read",
          "OPERATOR_METRICS_SECURE_PORT");

  private static final int WAITING = 64;
  private static final int THREADS = 4;
  private static final int SOON = 5;

  private final Vertx vertx;
  private final MetricsHandler handler;
  private final HttpsListener listener;
  private final ThreadPoolExecutor workers =
      new ThreadPoolExecutor(
          THREADS,
          THREADS,
          60,
          TimeUnit.SECONDS,
          new ArrayBlockingQueue<>(WAITING),
          new DaemonThreads("metrics"));

  /**
   * A server that does not listen yet.
   *
   * @param vertx makes servers
   * @param handler decides who gets the metrics
   */
  MetricsServer(Vertx vertx, MetricsHandler handler) {
    this.vertx = vertx;
    this.handler = handler;
    this.listener =
        new HttpsListener(
            vertx,
            LIMITS,
            MESSAGES,
            new TooManyConnections() {
              @Override
              public void ofAll() {
                LOG.debug("a connection for metrics is closed: there are too many");
              }

              @Override
              public void of(String address) {
                LOG.debugf("a connection for metrics is closed: %s has too many", address);
              }
            });
    workers.allowCoreThreadTimeOut(true);
  }

  /**
   * Listens.
   *
   * @param host the address to listen on
   * @param port the port; 0 for any
   * @param keys the certificate, asked for at each handshake
   */
  void start(String host, int port, KeyCertOptions keys) {
    listener.start(host, port, keys, this::receive);
  }

  /** Listens no more. */
  void stop() {
    listener.stop();
    workers.shutdownNow();
  }

  /**
   * Answers a request, on the event loop that it came on.
   *
   * @param request whatever somebody has sent
   */
  void receive(HttpServerRequest request) {
    if (!AccessReviews.PATH.equals(request.path())) {
      answer(
          request,
          MetricsAnswer.refused(
              Refusal.NOT_FOUND, "metrics are at " + AccessReviews.PATH + ", and nothing else is"));
      return;
    }
    if (request.method() != HttpMethod.GET) {
      request.response().putHeader("Allow", "GET");
      answer(request, MetricsAnswer.refused(Refusal.WRONG_METHOD, "metrics are read with GET"));
      return;
    }
    MetricsRequest asked =
        new MetricsRequest(
            BearerToken.of(request.getHeader("Authorization")),
            request.getHeader("Accept"),
            String.valueOf(request.remoteAddress().hostAddress()));
    Context context = vertx.getOrCreateContext();
    try {
      workers.execute(
          () -> {
            MetricsAnswer answer = decided(asked);
            context.runOnContext(now -> answer(request, answer));
          });
    } catch (RejectedExecutionException full) {
      answer(request, MetricsAnswer.refused(Refusal.UNAVAILABLE, "too many requests wait", SOON));
    }
  }

  private MetricsAnswer decided(MetricsRequest request) {
    try {
      return handler.answer(request);
    } catch (RuntimeException mistake) {
      LOG.errorf(mistake, "metrics could not be told to %s", request.sender());
      return MetricsAnswer.refused(
          Refusal.UNAVAILABLE, "the metrics could not be written: see the operator's log", SOON);
    }
  }

  /** What more may come on the connection is not read. */
  private static void answer(HttpServerRequest request, MetricsAnswer answer) {
    HttpServerResponse response = request.response();
    if (response.ended() || response.closed()) {
      return;
    }
    if (answer.code() == HttpURLConnection.HTTP_UNAUTHORIZED) {
      response.putHeader("WWW-Authenticate", "Bearer");
    }
    if (answer.retryAfter() != null) {
      response.putHeader("Retry-After", String.valueOf(answer.retryAfter()));
    }
    response
        .setStatusCode(answer.code())
        .putHeader("Content-Type", answer.contentType())
        .putHeader("Connection", "close")
        .end(Buffer.buffer(answer.body()))
        .onComplete(told -> request.connection().close());
  }
}
