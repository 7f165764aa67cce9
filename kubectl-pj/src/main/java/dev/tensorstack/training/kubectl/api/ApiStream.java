package dev.tensorstack.training.kubectl.api;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.fabric8.kubernetes.client.http.AsyncBody;
import io.fabric8.kubernetes.client.http.HttpResponse;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A stream of bytes from the API server, as long as it lasts. The answer may begin late: the log of
 * a container that is silent has no head before its first line.
 */
public final class ApiStream implements AutoCloseable {

  private static final int FIRST_ERROR = 400;

  private final Consumer<ByteBuffer> bytes;
  private final String url;
  private final BiFunction<Integer, String, ApiException> refused;
  private final CompletableFuture<Void> done = new CompletableFuture<>();
  private final ByteArrayOutputStream refusal = new ByteArrayOutputStream();
  private volatile boolean isRefused;
  private volatile boolean closed;
  private volatile @Nullable AsyncBody body;

  ApiStream(
      Consumer<ByteBuffer> bytes, String url, BiFunction<Integer, String, ApiException> refused) {
    this.bytes = bytes;
    this.url = url;
    this.refused = refused;
  }

  void accept(List<ByteBuffer> buffers, AsyncBody from) {
    for (ByteBuffer buffer : buffers) {
      if (isRefused) {
        byte[] piece = new byte[buffer.remaining()];
        buffer.get(piece);
        refusal.writeBytes(piece);
      } else {
        bytes.accept(buffer);
      }
    }
    from.consume();
  }

  void opened(@Nullable HttpResponse<AsyncBody> response, @Nullable Throwable failure) {
    if (response == null) {
      end(failure == null ? new IllegalStateException("no answer") : failure);
      return;
    }
    isRefused = response.code() >= FIRST_ERROR;
    AsyncBody here = response.body();
    body = here;
    CompletableFuture<Void> unused =
        here.done()
            .whenComplete(
                (nothing, broken) -> {
                  if (isRefused) {
                    boolean first =
                        done.completeExceptionally(
                            refused.apply(response.code(), refusal.toString(UTF_8)));
                  } else {
                    end(broken);
                  }
                });
    if (closed) {
      here.cancel();
    } else {
      here.consume();
    }
  }

  private void end(@Nullable Throwable failure) {
    boolean unused =
        failure == null || closed
            ? done.complete(null)
            : done.completeExceptionally(ApiException.unreachable(url, failure));
  }

  /**
   * Completes when the stream has ended.
   *
   * @return normally after its end; with an {@link ApiException} when it was refused or broke
   */
  public CompletableFuture<Void> done() {
    return done;
  }

  /** Ends the stream. */
  @Override
  public void close() {
    closed = true;
    AsyncBody here = body;
    if (here != null) {
      here.cancel();
    }
    boolean unused = done.complete(null);
  }
}
