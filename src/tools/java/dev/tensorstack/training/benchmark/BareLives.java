package dev.tensorstack.training.benchmark;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The turns of the clients that only write: the pods of a scenario run, and are gone again. */
final class BareLives {

  /** The bare client in tables. */
  static final String RAW = "raw";

  /** The bare client when it creates, beside the pods, the jobs and their Services. */
  static final String WITH_JOBS = "raw with jobs and Services";

  private static final int MEDIAN = 50;
  private static final int HIGH = 99;

  private final ScaleScene scene;
  private final Measurements results;
  private final String scenario;
  private final JobResource resource;
  private final int parallelism;
  private @Nullable JsonNode status;

  /**
   * The turns in a scenario.
   *
   * @param scenario its name in tables
   * @param resource which kind of jobs
   * @param parallelism how many requests at a time
   */
  BareLives(
      ScaleScene scene,
      Measurements results,
      String scenario,
      JobResource resource,
      int parallelism) {
    this.scene = scene;
    this.results = results;
    this.scenario = scenario;
    this.resource = resource;
    this.parallelism = parallelism;
  }

  /** Takes over the status of a job whose pods run: the same-writes client writes it, too. */
  void take(JsonNode written) {
    status = written;
  }

  /** Whether a client has all that it needs for its turn. */
  boolean has(String client) {
    return !client.equals(SameWritesClient.TITLE) || status != null;
  }

  /**
   * Creates the pods of some jobs and waits until they run; then all is deleted.
   *
   * @param client which of the clients
   * @param manifests the jobs by name
   * @param counts whether what is measured is taken down
   * @return pods per second
   */
  double live(String client, Map<String, String> manifests, boolean counts)
      throws InterruptedException {
    String namespace = scene.rawNamespace();
    RawClient.Bodies bodies = scene.rawBodies(resource, manifests);
    int pods = bodies.pods().size();
    int before = scene.kubelet().running(namespace);
    try (SameWritesClient.@Nullable Prepared prepared = prepared(client, manifests, bodies)) {
      scene.awaitQuiet();
      ScaleScene.Cpu cpu = scene.cpu();
      long begin = System.nanoTime();
      Map<String, Long> answered = write(client, prepared, manifests, bodies);
      ScaleScene.await(
          "all pods of the " + client + " run",
          () -> scene.kubelet().running(namespace) - before >= pods);
      ScaleScene.Cpu used = scene.cpu().since(cpu);
      List<PodLife> lives = scene.kubelet().pods(namespace);
      long end = lives.stream().mapToLong(pod -> pod.running).max().orElseThrow();
      if (counts) {
        results.add(
            scenario, client, Metric.PODS_PER_SECOND, pods / Percentile.seconds(end - begin));
        results.add(scenario, client, Metric.ALL_RUNNING, Percentile.seconds(end - begin));
        new PodCpu(results, scenario, client, pods).untilAllRun(used, used.self());
        lags(client, lives, answered);
        results.curves(scenario, client, begin, lives);
      }
      if (!client.equals(RAW)) {
        JobDesk desk = scene.desk(resource);
        manifests.keySet().forEach(name -> desk.delete(desk.job(namespace, name)));
      }
      clear();
      return pods / Percentile.seconds(end - begin);
    }
  }

  private SameWritesClient.@Nullable Prepared prepared(
      String client, Map<String, String> manifests, RawClient.Bodies bodies) {
    if (!client.equals(SameWritesClient.TITLE)) {
      return null;
    }
    try {
      return scene
          .sameWrites(resource, parallelism)
          .prepare(manifests, bodies, java.util.Objects.requireNonNull(status));
    } catch (JsonProcessingException unreadable) {
      throw new IllegalStateException(unreadable);
    }
  }

  private Map<String, Long> write(
      String client,
      SameWritesClient.@Nullable Prepared prepared,
      Map<String, String> manifests,
      RawClient.Bodies bodies) {
    if (prepared != null) {
      prepared.write();
      return Map.of();
    }
    String namespace = scene.rawNamespace();
    if (client.equals(WITH_JOBS)) {
      var unused = scene.desk(resource).submit(namespace, manifests);
      scene.raw().createServices(namespace, bodies.services(), parallelism);
    }
    return scene.raw().createPods(namespace, bodies.pods(), parallelism);
  }

  private void lags(String client, List<PodLife> pods, Map<String, Long> answered) {
    List<Long> lags = new ArrayList<>();
    for (PodLife pod : pods) {
      // The watch may be faster than the answer.
      lags.add(Math.max(0, pod.running - answered.getOrDefault(pod.name, pod.created)));
    }
    results.add(scenario, client, Metric.KUBELET_P50, Percentile.seconds(lags, MEDIAN));
    results.add(scenario, client, Metric.KUBELET_P99, Percentile.seconds(lags, HIGH));
  }

  /** Deletes all pods and Services, and waits until the pods are gone. */
  void clear() throws InterruptedException {
    String namespace = scene.rawNamespace();
    scene.raw().deleteAll(namespace);
    ScaleScene.await(
        "the bare client's pods are gone",
        () -> scene.kubelet().pods(namespace).stream().allMatch(pod -> pod.gone != 0));
    scene.forget(namespace);
  }
}
