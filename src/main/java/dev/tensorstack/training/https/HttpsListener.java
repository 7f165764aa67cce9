package dev.tensorstack.training.https;

import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.KeyCertOptions;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * A port with TLS and HTTP/1.1. It has connections and limits of its own; only the event loops are
 * shared. A port that somebody else has is tried again until it is free.
 */
public final class HttpsListener {

  private static final Logger LOG = Logger.getLogger(HttpsListener.class);

  private static final int IDLE_SECONDS = 10;
  private static final int HANDSHAKE_SECONDS = 5;
  private static final int MOST_OF_HEADERS = 24 << 10;

  /** Somebody else may give the port back. */
  private static final long BETWEEN_TRIES_MILLIS = 5_000;

  private final Vertx vertx;
  private final ConnectionLimits limits;
  private final PortMessages messages;
  private final TooManyConnections tooMany;
  private final AtomicInteger connections = new AtomicInteger();
  private final Map<String, Integer> byAddress = new ConcurrentHashMap<>();

  private volatile @Nullable HttpServer server;
  private volatile boolean listens;
  private volatile boolean stopped;

  /**
   * A port that is not listened on yet.
   *
   * @param vertx makes servers
   * @param limits how many connections there may be, and for how long
   * @param messages what the log says of the port
   * @param tooMany is told when a connection is closed because there are too many
   */
  public HttpsListener(
      Vertx vertx, ConnectionLimits limits, PortMessages messages, TooManyConnections tooMany) {
    this.vertx = vertx;
    this.limits = limits;
    this.messages = messages;
    this.tooMany = tooMany;
  }

  /**
   * Listens.
   *
   * @param host the address to listen on
   * @param port the port; 0 for any
   * @param keys the certificate, asked for at each handshake
   * @param requests takes each request, on an event loop
   */
  public void start(
      String host, int port, KeyCertOptions keys, Handler<HttpServerRequest> requests) {
    HttpServerOptions options =
        new HttpServerOptions()
            .setHost(host)
            .setPort(port)
            .setSsl(true)
            .setKeyCertOptions(keys)
            .setEnabledSecureTransportProtocols(Set.of("TLSv1.3", "TLSv1.2"))
            .setUseAlpn(false)
            .setMaxHeaderSize(MOST_OF_HEADERS)
            .setSslHandshakeTimeout(HANDSHAKE_SECONDS)
            .setSslHandshakeTimeoutUnit(TimeUnit.SECONDS)
            .setIdleTimeout(IDLE_SECONDS);
    listen(options, requests, false);
  }

  /** A server that could not listen once never can. */
  private void listen(
      HttpServerOptions options, Handler<HttpServerRequest> requests, boolean told) {
    if (stopped) {
      return;
    }
    HttpServer created =
        vertx.createHttpServer(options).connectionHandler(this::count).requestHandler(requests);
    server = created;
    created
        .listen()
        .onSuccess(
            listening -> {
              listens = true;
              LOG.infof("%s on port %d", messages.listening(), listening.actualPort());
            })
        .onFailure(
            problem -> {
              if (!told) {
                LOG.errorf(
                    "%s: port %d cannot be listened on: %s; it is tried again every %d s: free it,"
                        + " or set %s to another one",
                    messages.failure(),
                    options.getPort(),
                    problem.getMessage(),
                    BETWEEN_TRIES_MILLIS / 1_000,
                    messages.setting());
              }
              long unused =
                  vertx.setTimer(BETWEEN_TRIES_MILLIS, over -> listen(options, requests, true));
            });
  }

  private void count(HttpConnection connection) {
    String address = String.valueOf(connection.remoteAddress().hostAddress());
    int all = connections.incrementAndGet();
    int ofAddress = byAddress.merge(address, 1, Integer::sum);
    long end = vertx.setTimer(limits.longest().toMillis(), over -> connection.close());
    connection.closeHandler(
        closed -> {
          vertx.cancelTimer(end);
          connections.decrementAndGet();
          byAddress.computeIfPresent(address, (any, number) -> number == 1 ? null : number - 1);
        });
    if (all > limits.all()) {
      tooMany.ofAll();
      connection.close();
    } else if (ofAddress > limits.ofOneAddress()) {
      tooMany.of(address);
      connection.close();
    }
  }

  /** Listens no more. */
  public void stop() {
    stopped = true;
    HttpServer listening = server;
    if (listening != null) {
      listening.close();
    }
  }

  /**
   * Whether the port is listened on.
   *
   * @return false before, and while somebody else has the port
   */
  public boolean listens() {
    return listens;
  }

  /**
   * The port that is listened on.
   *
   * @return 0 before
   */
  public int port() {
    HttpServer listening = server;
    return listening == null ? 0 : listening.actualPort();
  }
}
