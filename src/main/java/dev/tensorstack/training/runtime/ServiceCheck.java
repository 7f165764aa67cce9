package dev.tensorstack.training.runtime;

import java.io.IOException;
import java.io.PrintStream;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Asks addresses whether they answer: {@code http://…} with 200, {@code tcp://host:port} at all.
 */
final class ServiceCheck {

  private static final int TIMEOUT_MILLIS = 3_000;
  private static final long PAUSE_MILLIS = 250;

  private final Duration limit;
  private final PrintStream out;

  /**
   * A check.
   *
   * @param limit how long all addresses together may take until they answer
   * @param out where it says what it found
   */
  ServiceCheck(Duration limit, PrintStream out) {
    this.limit = limit;
    this.out = out;
  }

  /**
   * Asks each address until it answers.
   *
   * @return false when there are none, or one did not answer in time
   */
  boolean answer(List<URI> addresses) {
    long end = System.nanoTime() + limit.toNanos();
    boolean well = !addresses.isEmpty();
    if (!well) {
      out.println("check: name at least one address, http://host:port/path or tcp://host:port");
    }
    for (URI address : addresses) {
      Optional<String> problem = ask(address);
      while (problem.isPresent() && System.nanoTime() < end && pause()) {
        problem = ask(address);
      }
      out.println(address + ": " + problem.orElse("answers"));
      well &= problem.isEmpty();
    }
    return well;
  }

  /** What is wrong; empty when it answers. */
  private static Optional<String> ask(URI address) {
    try {
      if ("tcp".equals(address.getScheme())) {
        try (Socket socket = new Socket()) {
          socket.connect(
              new InetSocketAddress(address.getHost(), address.getPort()), TIMEOUT_MILLIS);
        }
        return Optional.empty();
      }
      if (!"http".equals(address.getScheme())) {
        return Optional.of("is neither http:// nor tcp://");
      }
      HttpURLConnection connection = (HttpURLConnection) address.toURL().openConnection();
      try {
        connection.setConnectTimeout(TIMEOUT_MILLIS);
        connection.setReadTimeout(TIMEOUT_MILLIS);
        int status = connection.getResponseCode();
        return status == HttpURLConnection.HTTP_OK
            ? Optional.empty()
            : Optional.of("answers " + status);
      } finally {
        connection.disconnect();
      }
    } catch (IOException | IllegalArgumentException problem) {
      return Optional.of(problem.toString());
    }
  }

  private static boolean pause() {
    try {
      Thread.sleep(PAUSE_MILLIS);
      return true;
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
