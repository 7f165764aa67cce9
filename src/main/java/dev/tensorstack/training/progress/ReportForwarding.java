package dev.tensorstack.training.progress;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.net.TrustOptions;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import javax.net.ssl.X509TrustManager;
import org.jboss.logging.Logger;

/**
 * Passes reports on to the replica that works on jobs, which answers them. Its certificate is that
 * of the Service, and so is checked by that name.
 */
final class ReportForwarding {

  private static final Logger LOG = Logger.getLogger(ReportForwarding.class);

  private static final String PASSED_ON = "X-Progress-Passed-On";

  private static final int CONNECTIONS = 50;
  private static final int WAITING = 500;

  /** A training waits for the answer. */
  private static final long LIMIT_MILLIS = 1_000;

  private final HttpClient client;
  private final Supplier<String> host;
  private final IntSupplier port;

  /**
   * Passes on to replicas that serve the same.
   *
   * @param trust the authorities of the operator's certificate
   * @param host the name in the certificate
   * @param port the port that all replicas listen on
   */
  ReportForwarding(Vertx vertx, X509TrustManager trust, Supplier<String> host, IntSupplier port) {
    this.client =
        vertx.createHttpClient(
            new HttpClientOptions()
                .setSsl(true)
                .setTrustOptions(TrustOptions.wrap(trust))
                .setConnectTimeout(500)
                .setMaxPoolSize(CONNECTIONS)
                .setMaxWaitQueueSize(WAITING)
                // Less than the other side has: what it has just closed is not used again.
                .setIdleTimeout(5)
                .setIdleTimeoutUnit(TimeUnit.SECONDS));
    this.host = host;
    this.port = port;
  }

  /** Whether another replica has passed a report on. */
  static boolean isPassedOn(HttpServerRequest request) {
    return request.getHeader(PASSED_ON) != null;
  }

  /**
   * Passes a report on, and answers as the other replica does.
   *
   * @param request what is to be answered
   * @param report the same, read
   * @param address the IP address of the replica that works on jobs
   */
  void passOn(HttpServerRequest request, ReportRequest report, String address) {
    RequestOptions options =
        new RequestOptions()
            .setMethod(HttpMethod.POST)
            .setServer(SocketAddress.inetSocketAddress(port.getAsInt(), address))
            .setHost(host.get())
            .setPort(port.getAsInt())
            .setSsl(true)
            .setURI(request.path())
            .setTimeout(LIMIT_MILLIS)
            .putHeader(PASSED_ON, "true")
            .putHeader("Content-Type", "application/json");
    if (report.token() != null) {
      options.putHeader("Authorization", "Bearer " + report.token());
    }
    client
        .request(options)
        .compose(sent -> sent.send(Buffer.buffer(report.body())))
        .compose(
            answer ->
                answer
                    .body()
                    .onSuccess(
                        body -> {
                          String later = answer.getHeader("Retry-After");
                          if (later != null) {
                            request.response().putHeader("Retry-After", later);
                          }
                          request
                              .response()
                              .setStatusCode(answer.statusCode())
                              .putHeader("Content-Type", "application/json")
                              .end(body);
                        }))
        .onFailure(
            problem -> {
              LOG.debugf("a report could not be passed on to %s: %s", address, problem);
              if (!request.response().ended() && !request.response().closed()) {
                request
                    .response()
                    .setStatusCode(503)
                    .putHeader("Retry-After", "5")
                    .end("the replica that works on jobs does not answer");
              }
            });
  }
}
