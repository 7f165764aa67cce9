package dev.tensorstack.training.benchmark;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;

/** A watch whose events are read and thrown away: what it costs the API server to send them. */
final class DiscardedWatch implements AutoCloseable {

  private static final int QUIET_LIMIT_MILLIS = 600_000;

  private final ApiConnection connection;
  private final Thread thread;

  private DiscardedWatch(ApiConnection connection, String path) {
    this.connection = connection;
    this.thread = new Thread(this::read, "discarded-watch " + path);
    thread.setDaemon(true);
  }

  /**
   * Opens a watch; returns when the API server has begun to answer.
   *
   * @param path of the objects
   */
  static DiscardedWatch open(Api api, String path) {
    try {
      ApiConnection connection = api.stream(path + "?watch=true&resourceVersion=0");
      connection.limit(QUIET_LIMIT_MILLIS);
      int code = connection.receiveHead();
      if (code != HttpURLConnection.HTTP_OK) {
        connection.close();
        throw new IllegalStateException("watch " + path + " was answered with " + code);
      }
      DiscardedWatch watch = new DiscardedWatch(connection, path);
      watch.thread.start();
      return watch;
    } catch (IOException problem) {
      throw new UncheckedIOException(problem);
    }
  }

  private void read() {
    byte[] buffer = new byte[1 << 16];
    try (InputStream events = connection.chunks()) {
      int read = events.read(buffer);
      while (read >= 0) {
        read = events.read(buffer);
      }
    } catch (IOException closed) {
      // by close(), or by the API server, which some events less do not matter to
    }
  }

  @Override
  public void close() {
    connection.close();
  }
}
