package dev.tensorstack.training.localnode;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * The part of a kubelet's HTTPS server that the API server needs for {@code kubectl logs}: {@code
 * GET /containerLogs/<namespace>/<pod>/<container>}, and {@code /healthz}. On 127.0.0.1 only.
 */
final class LogServer implements AutoCloseable {
  /** Finds logs. */
  interface Logs {
    /**
     * The log of a container.
     *
     * @param namespace the pod's namespace
     * @param pod its name
     * @param container the container's name
     * @param previous whether the run before the last start is meant
     * @return the log
     * @throws LogUnavailableException if there is none
     */
    ContainerLog find(String namespace, String pod, String container, boolean previous)
        throws LogUnavailableException;
  }

  private final Logs logs;
  private final HttpsServer server;
  private final ExecutorService threads;

  /**
   * Starts the server.
   *
   * @param name the node's name, for the certificate
   * @param port the port, 0 for any free one
   * @param logs where the logs are
   * @throws IOException if the port is taken
   */
  LogServer(String name, int port, Logs logs) throws IOException {
    this.logs = logs;
    this.threads =
        Executors.newCachedThreadPool(
            work -> {
              Thread thread = new Thread(work, "log server of " + name);
              thread.setDaemon(true);
              return thread;
            });
    this.server = HttpsServer.create(new InetSocketAddress("127.0.0.1", port), 0);
    try {
      server.setHttpsConfigurator(new HttpsConfigurator(SelfSignedCertificate.serverContext(name)));
    } catch (GeneralSecurityException e) {
      throw new IOException(e);
    }
    server.createContext("/", this::handle);
    server.setExecutor(threads);
    server.start();
  }

  /**
   * The port it listens on.
   *
   * @return a TCP port
   */
  int port() {
    return server.getAddress().getPort();
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      String path = exchange.getRequestURI().getPath();
      String[] parts = path.split("/");
      if (path.equals("/healthz")) {
        answer(exchange, 200, "ok");
      } else if (parts.length == 5 && parts[1].equals("containerLogs")) {
        logs(exchange, parts[2], parts[3], parts[4]);
      } else if (path.matches("/(exec|attach|portForward|run)/.*")) {
        answer(
            exchange, 501, "a local node runs no " + parts[1] + "; its pods are local processes");
      } else {
        answer(exchange, 404, "404 page not found");
      }
    }
  }

  private void logs(HttpExchange exchange, String namespace, String pod, String container)
      throws IOException {
    LogQuery query;
    ContainerLog log;
    try {
      query = LogQuery.parse(exchange.getRequestURI().getRawQuery(), Instant.now());
      log = logs.find(namespace, pod, container, query.previous());
    } catch (IllegalArgumentException e) {
      answer(exchange, 400, e.toString());
      return;
    } catch (LogUnavailableException e) {
      answer(exchange, e.status(), e.toString());
      return;
    }
    exchange.getResponseHeaders().set("Content-Type", "text/plain; charset=utf-8");
    exchange.sendResponseHeaders(200, 0);
    try (OutputStream body = exchange.getResponseBody()) {
      body.flush();
      log.copy(query, body);
    }
  }

  private static void answer(HttpExchange exchange, int status, String text) throws IOException {
    byte[] body = text.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "text/plain; charset=utf-8");
    exchange.sendResponseHeaders(status, body.length);
    exchange.getResponseBody().write(body);
  }
}
