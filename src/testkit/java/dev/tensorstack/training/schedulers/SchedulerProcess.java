package dev.tensorstack.training.schedulers;

import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.controlplane.GuardedProcess;
import dev.tensorstack.training.controlplane.TrustedAuthority;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

/** A program that works on a control plane. It ends with this JVM, however that ends. */
final class SchedulerProcess {
  private static final Duration START_LIMIT = Duration.ofMinutes(2);
  private static final Duration POLL = Duration.ofMillis(100);
  private static final int LOG_LINES = 25;

  private final GuardedProcess process;
  private final HttpClient http;

  private SchedulerProcess(GuardedProcess process, HttpClient http) {
    this.process = process;
    this.http = http;
  }

  /**
   * Starts a program; its output goes to {@code <name>.log} in the folder of the control plane.
   *
   * @param name how messages call it
   * @param command the program and its arguments
   * @param folder where it runs
   * @param kubeconfig with which it works; the variable {@code KUBECONFIG} names it
   * @return the running program, which may not be ready yet
   */
  static SchedulerProcess start(
      ControlPlane plane, String name, List<String> command, Path folder, Path kubeconfig) {
    return new SchedulerProcess(
        GuardedProcess.start(
            name,
            command,
            folder,
            Map.of(
                "KUBECONFIG", kubeconfig.toString(),
                "DEBUG_SOCKET_DIR", folder.toString()), // Volcano's
            plane.directory().resolve(name + ".log"),
            null),
        HttpClient.newBuilder()
            .sslContext(TrustedAuthority.context(plane.certificateAuthority()))
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(2))
            .build());
  }

  /**
   * Waits until an address answers with 200.
   *
   * @param url HTTP, or HTTPS with the certificate of the control plane
   * @throws IllegalStateException when the program ends before that, or after two minutes; carries
   *     the end of its log
   */
  void awaitOk(String url) {
    await("ready", () -> status(url) == 200);
  }

  /**
   * Waits for something that the program does.
   *
   * @param what completes the sentence "it is not ..."
   * @param condition becomes true
   * @throws IllegalStateException as {@link #awaitOk}
   */
  void await(String what, Callable<Boolean> condition) {
    try {
      Awaitility.await(process.name() + " " + what)
          .atMost(START_LIMIT)
          .pollDelay(Duration.ZERO)
          .pollInterval(POLL)
          .until(
              () -> {
                if (!process.isAlive()) {
                  throw new IllegalStateException(
                      process.name() + " ended:\n" + process.lastLines(LOG_LINES));
                }
                return condition.call();
              });
    } catch (ConditionTimeoutException late) {
      throw new IllegalStateException(
          process.name()
              + (" is not " + what + " after " + START_LIMIT.toSeconds() + " s:\n")
              + process.lastLines(LOG_LINES),
          late);
    }
  }

  /** The HTTP status, or 0 when there was no answer. */
  private int status(String url) throws InterruptedException {
    try {
      return http.send(
              HttpRequest.newBuilder(URI.create(url)).timeout(Duration.ofSeconds(5)).build(),
              HttpResponse.BodyHandlers.discarding())
          .statusCode();
    } catch (IOException notListening) {
      return 0;
    }
  }

  /** Whether it runs. */
  boolean isAlive() {
    return process.isAlive();
  }

  /** Stops it and waits until it is gone; may be called again. */
  void stop() {
    process.stop();
  }
}
