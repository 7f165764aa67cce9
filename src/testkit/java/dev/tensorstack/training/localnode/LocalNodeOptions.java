package dev.tensorstack.training.localnode;

import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * How a local node is set up. Start with {@link #named} and change what matters.
 *
 * @param name the Node's name, a DNS name; every local node of a cluster has its own
 * @param port the TCP port of the log server on 127.0.0.1, 0 for any free one
 * @param capacity the node's resources, such as {@code cpu} to {@code 64}
 * @param labels labels of the Node, beside the usual ones
 * @param searchPath directories that come first in {@code PATH} of every process
 * @param environment variables of every process; a container's own win
 * @param unpullable image names, or beginnings of names ending with {@code /}, that cannot be
 *     pulled
 * @param stateDirectory where pods have their files, kept when the node stops; nodes that share it
 *     share the directories of claims. Null for a temporary one that goes with the node
 * @param heartbeat how often the node renews its lease
 * @param restartDelay the first delay between two starts of a container that keeps ending, doubled
 *     each time up to 5 minutes
 */
public record LocalNodeOptions(
    String name,
    int port,
    Map<String, String> capacity,
    Map<String, String> labels,
    List<Path> searchPath,
    Map<String, String> environment,
    List<String> unpullable,
    @Nullable Path stateDirectory,
    Duration heartbeat,
    Duration restartDelay) {

  /** Copies the collections. */
  public LocalNodeOptions {
    capacity = Map.copyOf(capacity);
    labels = Map.copyOf(labels);
    searchPath = List.copyOf(searchPath);
    environment = Map.copyOf(environment);
    unpullable = List.copyOf(unpullable);
  }

  /**
   * The defaults: any port, 64 CPUs, 256 GiB, 500 pods, a heartbeat every 10 s, images under {@code
   * unpullable/} cannot be pulled.
   *
   * @param name the Node's name
   * @return the options
   */
  public static LocalNodeOptions named(String name) {
    return new LocalNodeOptions(
        name,
        0,
        Map.of("cpu", "64", "memory", "256Gi", "ephemeral-storage", "100Gi", "pods", "500"),
        Map.of(),
        List.of(),
        Map.of(),
        List.of("unpullable/"),
        null,
        Duration.ofSeconds(10),
        Duration.ofSeconds(10));
  }

  /**
   * Sets the Node's name.
   *
   * @param name a DNS name
   * @return changed options
   */
  public LocalNodeOptions renamed(String name) {
    return new LocalNodeOptions(
        name,
        port,
        capacity,
        labels,
        searchPath,
        environment,
        unpullable,
        stateDirectory,
        heartbeat,
        restartDelay);
  }

  /**
   * Sets the log server's port.
   *
   * @param port a TCP port, 0 for any free one
   * @return changed options
   */
  public LocalNodeOptions withPort(int port) {
    return new LocalNodeOptions(
        name,
        port,
        capacity,
        labels,
        searchPath,
        environment,
        unpullable,
        stateDirectory,
        heartbeat,
        restartDelay);
  }

  /**
   * Sets one resource of the node.
   *
   * @param resource its name, such as {@code nvidia.com/gpu}
   * @param quantity how much, such as {@code 8}
   * @return changed options
   */
  public LocalNodeOptions withCapacity(String resource, String quantity) {
    return new LocalNodeOptions(
        name,
        port,
        plus(capacity, resource, quantity),
        labels,
        searchPath,
        environment,
        unpullable,
        stateDirectory,
        heartbeat,
        restartDelay);
  }

  /**
   * Adds a label to the Node.
   *
   * @param key the label
   * @param value its value
   * @return changed options
   */
  public LocalNodeOptions withLabel(String key, String value) {
    return new LocalNodeOptions(
        name,
        port,
        capacity,
        plus(labels, key, value),
        searchPath,
        environment,
        unpullable,
        stateDirectory,
        heartbeat,
        restartDelay);
  }

  /**
   * Sets the directories that come first in {@code PATH}.
   *
   * @param directories such as the {@code bin} of a Python environment
   * @return changed options
   */
  public LocalNodeOptions withSearchPath(Path... directories) {
    return new LocalNodeOptions(
        name,
        port,
        capacity,
        labels,
        List.of(directories),
        environment,
        unpullable,
        stateDirectory,
        heartbeat,
        restartDelay);
  }

  /**
   * Adds a variable to the environment of every process.
   *
   * @param variable its name
   * @param value its value
   * @return changed options
   */
  public LocalNodeOptions withEnvironment(String variable, String value) {
    return new LocalNodeOptions(
        name,
        port,
        capacity,
        labels,
        searchPath,
        plus(environment, variable, value),
        unpullable,
        stateDirectory,
        heartbeat,
        restartDelay);
  }

  /**
   * Sets the images that cannot be pulled.
   *
   * @param images names, or beginnings of names ending with {@code /}
   * @return changed options
   */
  public LocalNodeOptions withUnpullable(String... images) {
    return new LocalNodeOptions(
        name,
        port,
        capacity,
        labels,
        searchPath,
        environment,
        List.of(images),
        stateDirectory,
        heartbeat,
        restartDelay);
  }

  /**
   * Sets where pods have their files.
   *
   * @param directory created when missing, and kept when the node stops
   * @return changed options
   */
  public LocalNodeOptions withStateDirectory(Path directory) {
    return new LocalNodeOptions(
        name,
        port,
        capacity,
        labels,
        searchPath,
        environment,
        unpullable,
        directory,
        heartbeat,
        restartDelay);
  }

  /**
   * Sets the times of the node.
   *
   * @param heartbeat how often the node renews its lease
   * @param restartDelay the first delay before a container is started again
   * @return changed options
   */
  public LocalNodeOptions withTimes(Duration heartbeat, Duration restartDelay) {
    return new LocalNodeOptions(
        name,
        port,
        capacity,
        labels,
        searchPath,
        environment,
        unpullable,
        stateDirectory,
        heartbeat,
        restartDelay);
  }

  /**
   * Whether an image can be pulled.
   *
   * @param image the image's name
   * @return false when {@link #unpullable} lists it
   */
  boolean canPull(String image) {
    return unpullable.stream()
        .noneMatch(no -> no.endsWith("/") ? image.startsWith(no) : image.equals(no));
  }

  private static Map<String, String> plus(Map<String, String> map, String key, String value) {
    Map<String, String> changed = new LinkedHashMap<>(map);
    changed.put(key, value);
    return new TreeMap<>(changed);
  }
}
