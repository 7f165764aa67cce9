package dev.tensorstack.training.fakekubelet;

import io.fabric8.kubernetes.api.model.Quantity;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What the fake nodes are like. Immutable; begin with {@link #nodes(int)}.
 *
 * @param count how many nodes, at least 1
 * @param namePrefix the nodes are called {@code <prefix>-0}, {@code <prefix>-1} and so on
 * @param capacity what each node has
 * @param labels labels of each node, in addition to the usual ones
 * @param deletionDelay how long a deleted pod takes to end
 * @param deletionExitCode with which exit code the containers of a deleted pod end
 * @param parallelism how many requests are under way at the same time at most
 */
public record FakeKubeletOptions(
    int count,
    String namePrefix,
    Map<String, Quantity> capacity,
    Map<String, String> labels,
    Duration deletionDelay,
    int deletionExitCode,
    int parallelism) {

  /** Copies the maps. */
  public FakeKubeletOptions {
    if (count < 1 || parallelism < 1) {
      throw new IllegalArgumentException("at least one node and one request at a time");
    }
    capacity = Map.copyOf(capacity);
    labels = Map.copyOf(labels);
  }

  /**
   * Nodes with 10,000 CPUs, 100 TiB of memory, room for 100,000 pods and 10,000 each of {@code
   * nvidia.com/gpu} and {@code hygon.com/dcu}. Pods that are deleted end at once with 143.
   */
  public static FakeKubeletOptions nodes(int count) {
    return new FakeKubeletOptions(
        count,
        "fake",
        Map.of(
            "cpu", new Quantity("10000"),
            "memory", new Quantity("100Ti"),
            "ephemeral-storage", new Quantity("100Ti"),
            "pods", new Quantity("100000"),
            "nvidia.com/gpu", new Quantity("10000"),
            "hygon.com/dcu", new Quantity("10000")),
        Map.of(),
        Duration.ZERO,
        143,
        32);
  }

  /** The same with other names. */
  public FakeKubeletOptions namePrefix(String prefix) {
    return new FakeKubeletOptions(
        count, prefix, capacity, labels, deletionDelay, deletionExitCode, parallelism);
  }

  /** The same with one resource more, or another amount of it, on each node. */
  public FakeKubeletOptions resource(String name, String quantity) {
    Map<String, Quantity> more = new LinkedHashMap<>(capacity);
    more.put(name, new Quantity(quantity));
    return new FakeKubeletOptions(
        count, namePrefix, more, labels, deletionDelay, deletionExitCode, parallelism);
  }

  /** The same with one label more on each node. */
  public FakeKubeletOptions label(String name, String value) {
    Map<String, String> more = new LinkedHashMap<>(labels);
    more.put(name, value);
    return new FakeKubeletOptions(
        count, namePrefix, capacity, more, deletionDelay, deletionExitCode, parallelism);
  }

  /** The same with another way in which pods end that are deleted while they run. */
  public FakeKubeletOptions deletion(Duration delay, int exitCode) {
    return new FakeKubeletOptions(
        count, namePrefix, capacity, labels, delay, exitCode, parallelism);
  }

  /** The same with another number of requests under way at the same time. */
  public FakeKubeletOptions parallelism(int requests) {
    return new FakeKubeletOptions(
        count, namePrefix, capacity, labels, deletionDelay, deletionExitCode, requests);
  }
}
