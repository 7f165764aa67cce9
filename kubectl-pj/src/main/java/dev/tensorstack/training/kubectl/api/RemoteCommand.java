package dev.tensorstack.training.kubectl.api;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tensorstack.training.kubectl.job.Tree;
import io.fabric8.kubernetes.client.http.WebSocket;
import io.fabric8.kubernetes.client.http.WebSocketHandshakeException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A command in a container: its streams over a WebSocket, as the API server's exec has them. */
public final class RemoteCommand implements AutoCloseable {

  /** The protocol that can tell the end of standard input. */
  private static final String PROTOCOL = "v5.channel.k8s.io";

  private static final byte INPUT = 0;
  private static final byte OUTPUT = 1;
  private static final byte ERROR = 2;
  private static final byte STATUS = 3;
  private static final byte RESIZE = 4;
  private static final byte END = (byte) 255;

  private static final int NORMAL_CLOSURE = 1000;
  private static final int PIECE = 8192;
  private static final long MOST_QUEUED = 1 << 20;
  private static final long QUEUE_PAUSE_MILLIS = 5;
  private static final long CONNECT_SECONDS = 30;
  private static final ObjectMapper JSON = new ObjectMapper();

  private final CompletableFuture<Integer> exitCode = new CompletableFuture<>();
  private final OutputStream out;
  private final OutputStream err;
  private @Nullable WebSocket socket;

  private RemoteCommand(OutputStream out, OutputStream err) {
    this.out = out;
    this.err = err;
  }

  /**
   * What to run.
   *
   * @param namespace the pod's namespace
   * @param pod the pod's name
   * @param container its container
   * @param command the command and its arguments; no shell looks at them
   * @param input whether it gets standard input
   * @param tty whether it gets a terminal
   */
  public record Request(
      String namespace,
      String pod,
      String container,
      List<String> command,
      boolean input,
      boolean tty) {

    String path() {
      StringBuilder path =
          new StringBuilder("/api/v1/namespaces/" + namespace + "/pods/" + pod + "/exec")
              .append(
                  Cluster.query(
                      Map.of(
                          "container", container,
                          "stdin", Boolean.toString(input),
                          "stdout", "true",
                          // With a terminal there is one stream for both.
                          "stderr", Boolean.toString(!tty),
                          "tty", Boolean.toString(tty))));
      command.forEach(word -> path.append("&command=").append(URLEncoder.encode(word, UTF_8)));
      return path.toString();
    }
  }

  /**
   * Starts a command.
   *
   * @param cluster the cluster
   * @param request what to run
   * @param out where its standard output goes
   * @param err where its standard error goes
   * @return the command, which runs
   * @throws ApiException when it is refused
   */
  public static RemoteCommand start(
      Cluster cluster, Request request, OutputStream out, OutputStream err) {
    RemoteCommand command = new RemoteCommand(out, err);
    CompletableFuture<WebSocket> connected =
        cluster
            .http()
            .newWebSocketBuilder()
            .uri(WebSocket.toWebSocketUri(URI.create(cluster.url() + request.path())))
            .subprotocol(PROTOCOL)
            .buildAsync(command.new Answers());
    try {
      command.socket = connected.get(CONNECT_SECONDS, TimeUnit.SECONDS);
      return command;
    } catch (ExecutionException e) {
      throw refusal(cluster, e);
    } catch (TimeoutException e) {
      throw ApiException.unreachable(cluster.url(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw ApiException.unreachable(cluster.url(), e);
    }
  }

  private static ApiException refusal(Cluster cluster, ExecutionException failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof WebSocketHandshakeException refused && refused.getResponse() != null) {
        String body = String.valueOf(refused.getResponse().body());
        Tree status = Tree.of(null);
        try {
          status = Tree.of(JSON.readValue(body, Map.class));
        } catch (JsonProcessingException plainText) {
          // the text itself is told
        }
        return ApiException.refused(refused.getResponse().code(), status, body);
      }
    }
    return ApiException.unreachable(cluster.url(), failure);
  }

  /**
   * Passes standard input on until its end. Blocks: meant for a thread of its own.
   *
   * @param input where it comes from
   * @throws IOException when it cannot be read
   */
  public void passOn(InputStream input) throws IOException {
    byte[] piece = new byte[PIECE];
    for (int read = input.read(piece); read >= 0; read = input.read(piece)) {
      byte[] message = new byte[read + 1];
      message[0] = INPUT;
      System.arraycopy(piece, 0, message, 1, read);
      if (!send(message)) {
        return;
      }
    }
    boolean unused = send(new byte[] {END, INPUT});
  }

  /**
   * Tells the terminal's size.
   *
   * @param columns its width
   * @param rows its height
   */
  public void resize(int columns, int rows) {
    byte[] json = ("{\"Width\":" + columns + ",\"Height\":" + rows + "}").getBytes(UTF_8);
    byte[] message = new byte[json.length + 1];
    message[0] = RESIZE;
    System.arraycopy(json, 0, message, 1, json.length);
    boolean unused = send(message);
  }

  private boolean send(byte[] message) {
    WebSocket open = socket;
    while (open != null && open.queueSize() > MOST_QUEUED && !exitCode.isDone()) {
      try {
        Thread.sleep(QUEUE_PAUSE_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
    }
    return open != null && open.send(ByteBuffer.wrap(message));
  }

  /**
   * Waits for the end.
   *
   * @return the command's exit code
   * @throws InterruptedException when the thread is interrupted
   * @throws ApiException when the connection was lost, or the command could not be started
   */
  public int await() throws InterruptedException {
    try {
      return exitCode.get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof ApiException known
          ? known
          : ApiException.unreachable("the pod's node", e);
    }
  }

  @Override
  public void close() {
    if (socket != null) {
      boolean unused = socket.sendClose(NORMAL_CLOSURE, "done");
    }
  }

  /** What comes from the container. */
  private final class Answers implements WebSocket.Listener {

    @Override
    public void onMessage(WebSocket from, ByteBuffer bytes) {
      try {
        receive(bytes);
      } catch (IOException e) {
        boolean unused = exitCode.completeExceptionally(e);
      }
      from.request();
    }

    private void receive(ByteBuffer bytes) throws IOException {
      if (!bytes.hasRemaining()) {
        return;
      }
      byte channel = bytes.get();
      byte[] data = new byte[bytes.remaining()];
      bytes.get(data);
      if (channel == OUTPUT || channel == ERROR) {
        OutputStream stream = channel == OUTPUT ? out : err;
        stream.write(data);
        stream.flush();
      } else if (channel == STATUS) {
        ended(Tree.of(JSON.readValue(data, Map.class)));
      }
    }

    private void ended(Tree status) {
      if ("Success".equals(status.text("status"))) {
        boolean unused = exitCode.complete(0);
        return;
      }
      for (Tree cause : status.items("details", "causes")) {
        Integer code = cause.number("message");
        if ("ExitCode".equals(cause.text("reason")) && code != null) {
          boolean unused = exitCode.complete(code);
          return;
        }
      }
      boolean unused =
          exitCode.completeExceptionally(ApiException.refused(status.count("code"), status, ""));
    }

    @Override
    public void onClose(WebSocket from, int code, String reason) {
      boolean unused =
          exitCode.completeExceptionally(
              new IOException("the connection was closed: " + code + " " + reason));
      boolean alsoUnused = from.sendClose(NORMAL_CLOSURE, "");
    }

    @Override
    public void onError(WebSocket from, Throwable failure) {
      boolean unused = exitCode.completeExceptionally(failure);
    }
  }
}
