package dev.tensorstack.training.benchmark;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.controlplane.TrustedAuthority;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * The API server as a plain HTTP/1.1 server: bytes go out and come back, nothing is parsed, and
 * there is no thread but the caller's. Safe for use by several threads; each request under way has
 * a connection of its own.
 */
final class Api {

  private static final String JSON = "application/json";
  private static final String MERGE_PATCH = "application/merge-patch+json";
  private static final int LIMIT_MILLIS = 60_000;
  private static final int TRIES = 20;
  private static final int TOO_MANY_REQUESTS = 429;
  private static final long PAUSE_MILLIS = 500;
  private static final byte[] NOTHING = {};

  /** The API server closes what is idle for long; a request must not run into that. */
  private static final long MOST_IDLE_NANOS = Duration.ofSeconds(20).toNanos();

  private final URI url;
  private final String token;
  private final SSLSocketFactory sockets;
  private final ConcurrentLinkedDeque<ApiConnection> idle = new ConcurrentLinkedDeque<>();

  /**
   * An answer.
   *
   * @param code the HTTP status
   * @param body as text
   */
  record Answer(int code, String body) {
    boolean accepted() {
      return code >= 200 && code < 300;
    }

    Answer orThrow(String what) {
      if (!accepted()) {
        throw new IllegalStateException(what + " was answered with " + code + ": " + body);
      }
      return this;
    }
  }

  /** The API server as a user with a token sees it. */
  Api(ControlPlane controlPlane, String token) {
    this.url = URI.create(controlPlane.url());
    this.token = token;
    this.sockets = TrustedAuthority.context(controlPlane.certificateAuthority()).getSocketFactory();
  }

  /** The API server as the administrator sees it. */
  static Api ofAdministrator(ControlPlane controlPlane) {
    String fixed = controlPlane.clientConfig().getOauthToken();
    return new Api(
        controlPlane, fixed != null ? fixed : controlPlane.clientConfig().getAutoOAuthToken());
  }

  Answer get(String path) {
    return exchange("GET", path, JSON, NOTHING);
  }

  Answer post(String path, byte[] body) {
    return exchange("POST", path, JSON, body);
  }

  Answer put(String path, byte[] body) {
    return exchange("PUT", path, JSON, body);
  }

  Answer patch(String path, String body) {
    return exchange("PATCH", path, MERGE_PATCH, body.getBytes(UTF_8));
  }

  Answer delete(String path, String options) {
    return exchange("DELETE", path, JSON, options.getBytes(UTF_8));
  }

  /** An answer that goes on, for watches: the connection is the caller's, who closes it. */
  ApiConnection stream(String path) throws IOException {
    ApiConnection connection = connect();
    connection.send(head("GET", path, JSON, 0), NOTHING);
    return connection;
  }

  /** Writes the body of an answer into a file, as it is. */
  void download(String path, Path file) throws IOException {
    try (ApiConnection connection = stream(path)) {
      int code = connection.receiveHead();
      if (code != HttpURLConnection.HTTP_OK) {
        throw new IOException(path + " was answered with " + code);
      }
      try (InputStream body = connection.chunks()) {
        long unused = Files.copy(body, file, StandardCopyOption.REPLACE_EXISTING);
      }
    }
  }

  /**
   * Repeats a request that the server could not serve; whether it took effect all the same is not
   * known then, so an object that exists already counts as created.
   */
  static Answer insist(String what, Supplier<Answer> request) {
    for (int i = 0; ; i++) {
      try {
        Answer answer = request.get();
        boolean created = i > 0 && answer.code() == HttpURLConnection.HTTP_CONFLICT;
        boolean overloaded =
            answer.code() >= HttpURLConnection.HTTP_INTERNAL_ERROR
                || answer.code() == TOO_MANY_REQUESTS;
        if (created || !overloaded) {
          return created ? answer : answer.orThrow(what);
        }
        if (i == TRIES) {
          return answer.orThrow(what);
        }
      } catch (UncheckedIOException lost) {
        if (i == TRIES) {
          throw lost;
        }
      }
      pause();
    }
  }

  private static void pause() {
    try {
      TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  private Answer exchange(String method, String path, String contentType, byte[] body) {
    byte[] head = head(method, path, contentType, body.length);
    try {
      ApiConnection present = takeIdle();
      ApiConnection connection = present != null ? present : connect();
      try {
        connection.send(head, body);
        Answer answer = connection.receive();
        idle.addFirst(connection);
        return answer;
      } catch (IOException problem) {
        connection.close();
        throw problem;
      }
    } catch (IOException problem) {
      throw new UncheckedIOException(method + " " + path + ": " + problem, problem);
    }
  }

  private @Nullable ApiConnection takeIdle() {
    for (ApiConnection one = idle.pollFirst(); one != null; one = idle.pollFirst()) {
      if (one.idle() < MOST_IDLE_NANOS) {
        return one;
      }
      one.close();
    }
    return null;
  }

  private ApiConnection connect() throws IOException {
    Socket socket = sockets.createSocket(url.getHost(), url.getPort());
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(LIMIT_MILLIS);
    return new ApiConnection(socket);
  }

  private byte[] head(String method, String path, String contentType, int length) {
    return (method
            + (" " + path + " HTTP/1.1\r\nHost: " + url.getHost() + "\r\n")
            + ("Authorization: Bearer " + token + "\r\nAccept: " + JSON + "\r\n")
            + (length == 0 ? "" : "Content-Type: " + contentType + "\r\n")
            + ("Content-Length: " + length + "\r\n\r\n"))
        .getBytes(UTF_8);
  }
}
