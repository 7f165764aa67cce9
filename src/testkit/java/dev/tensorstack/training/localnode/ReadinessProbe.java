package dev.tensorstack.training.localnode;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.HTTPGetAction;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.Probe;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Asks a running container again and again whether it is ready: exec, httpGet or tcpSocket. */
final class ReadinessProbe implements AutoCloseable {
  private final Container container;
  private final ProcessSpec spec;
  private final String podIp;
  private final Probe probe;
  private final Consumer<Boolean> changed;
  private final ScheduledExecutorService timer;
  private boolean ready;
  private int inARow;

  private ReadinessProbe(
      Container container, ProcessSpec spec, String podIp, Consumer<Boolean> changed) {
    this.container = container;
    this.spec = spec;
    this.podIp = podIp;
    this.probe = container.getReadinessProbe();
    this.changed = changed;
    this.timer =
        Executors.newSingleThreadScheduledExecutor(
            work -> {
              Thread thread = new Thread(work, "readiness of " + container.getName());
              thread.setDaemon(true);
              return thread;
            });
  }

  /**
   * Starts to probe.
   *
   * @param container a container with a readiness probe
   * @param spec its process, for the environment of a command
   * @param podIp the address to ask, when the probe names none
   * @param changed told every new answer, from another thread
   * @return the probe, to be closed when the container ends
   */
  static ReadinessProbe start(
      Container container, ProcessSpec spec, String podIp, Consumer<Boolean> changed) {
    ReadinessProbe probe = new ReadinessProbe(container, spec, podIp, changed);
    int period = or(probe.probe.getPeriodSeconds(), 10);
    int delay = or(probe.probe.getInitialDelaySeconds(), 0);
    probe.timer.scheduleWithFixedDelay(probe::ask, delay, period, TimeUnit.SECONDS);
    return probe;
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }

  private void ask() {
    boolean answer;
    try {
      answer = answers();
    } catch (IOException | RuntimeException e) {
      answer = false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return;
    }
    inARow = answer == ready ? 0 : inARow + 1;
    int wanted = answer ? or(probe.getSuccessThreshold(), 1) : or(probe.getFailureThreshold(), 3);
    if (inARow >= wanted) {
      ready = answer;
      inARow = 0;
      changed.accept(answer);
    }
  }

  private boolean answers() throws IOException, InterruptedException {
    int timeout = (int) TimeUnit.SECONDS.toMillis(or(probe.getTimeoutSeconds(), 1));
    if (probe.getExec() != null) {
      ProcessBuilder builder = new ProcessBuilder(probe.getExec().getCommand());
      builder.environment().clear();
      builder.environment().putAll(spec.environment());
      builder.directory(spec.workingDirectory().toFile());
      builder.redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD);
      Process process = builder.start();
      boolean ended = process.waitFor(timeout, TimeUnit.MILLISECONDS);
      process.destroyForcibly();
      return ended && process.exitValue() == 0;
    }
    if (probe.getTcpSocket() != null) {
      String host = or(probe.getTcpSocket().getHost(), podIp);
      try (Socket socket = new Socket()) {
        socket.connect(new InetSocketAddress(host, port(probe.getTcpSocket().getPort())), timeout);
        return true;
      }
    }
    return probe.getHttpGet() == null || http(probe.getHttpGet(), timeout);
  }

  private boolean http(HTTPGetAction get, int timeout) throws IOException {
    String scheme = or(get.getScheme(), "HTTP").toLowerCase(java.util.Locale.ROOT);
    String path = or(get.getPath(), "/");
    URI uri =
        URI.create(
            scheme
                + "://"
                + or(get.getHost(), podIp)
                + ":"
                + port(get.getPort())
                + (path.startsWith("/") ? path : "/" + path));
    HttpURLConnection connection = (HttpURLConnection) uri.toURL().openConnection();
    connection.setConnectTimeout(timeout);
    connection.setReadTimeout(timeout);
    connection.setInstanceFollowRedirects(false);
    int status = connection.getResponseCode();
    connection.disconnect();
    return status >= 200 && status < 400;
  }

  private int port(IntOrString port) {
    Integer number = port.getIntVal();
    if (number != null) {
      return number;
    }
    return container.getPorts().stream()
        .filter(p -> port.getStrVal().equals(p.getName()))
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("no port " + port.getStrVal()))
        .getContainerPort();
  }

  private static int or(@Nullable Integer value, int otherwise) {
    return value == null ? otherwise : value;
  }

  private static String or(@Nullable String value, String otherwise) {
    return value == null || value.isEmpty() ? otherwise : value;
  }
}
