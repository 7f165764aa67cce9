package dev.tensorstack.training.benchmark;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * The bare client when it makes the writes that an operator cannot do without until all pods run:
 * it submits the jobs, and creates for each its Service, three events, its pods and one status. It
 * has both watches of an operator open. Bodies lie ready but for the job's uid and version, and
 * nothing is parsed: what an operator on this API server can reach at best.
 */
final class SameWritesClient {

  /** Its name in tables. */
  static final String TITLE = "same-writes client";

  private static final int EVENTS = 3;
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Api api;
  private final JobResource resource;
  private final String namespace;
  private final int parallelism;

  /**
   * A client.
   *
   * @param namespace where it works
   * @param parallelism how many requests at a time
   */
  SameWritesClient(Api api, JobResource resource, String namespace, int parallelism) {
    this.api = api;
    this.resource = resource;
    this.namespace = namespace;
    this.parallelism = parallelism;
  }

  /**
   * A job with all that is created for it.
   *
   * @param name its name
   * @param kind its API version and kind, as fields in JSON
   * @param manifest as it is submitted
   * @param status which it gets, as JSON
   * @param others the creations of its Service and its pods
   */
  private record Job(
      String name, String kind, String manifest, String status, List<Runnable> others) {}

  /** What lies ready; and how it is brought to the API server. */
  final class Prepared implements AutoCloseable {
    private final List<Job> jobs;
    private final List<DiscardedWatch> watches;

    private Prepared(List<Job> jobs) {
      this.jobs = jobs;
      this.watches =
          List.of(
              DiscardedWatch.open(api, podPath()),
              DiscardedWatch.open(api, resource.path(namespace)));
    }

    /** Makes all writes and waits for the last answer. */
    void write() {
      ExecutorService threads = Executors.newFixedThreadPool(parallelism);
      try {
        List<CompletableFuture<Void>> answers =
            jobs.stream()
                .map(
                    job ->
                        CompletableFuture.supplyAsync(() -> submit(job), threads)
                            .thenCompose(stored -> writeFor(job, stored, threads)))
                .toList();
        answers.forEach(CompletableFuture::join);
      } finally {
        threads.shutdown();
      }
    }

    @Override
    public void close() {
      watches.forEach(DiscardedWatch::close);
    }
  }

  /**
   * Makes the bodies ready and opens the watches.
   *
   * @param manifests the jobs by name
   * @param bodies what is created for them, in the order of the jobs, as much for each
   * @param status which each job gets: one that the operator has written for such a job
   */
  Prepared prepare(Map<String, String> manifests, RawClient.Bodies bodies, JsonNode status)
      throws JsonProcessingException {
    List<Job> jobs = new ArrayList<>();
    for (Map.Entry<String, String> manifest : manifests.entrySet()) {
      JsonNode job = JSON.readTree(manifest.getValue());
      String kind =
          "\"apiVersion\":%s,\"kind\":%s".formatted(job.path("apiVersion"), job.path("kind"));
      List<Runnable> others = new ArrayList<>();
      partOf(bodies.services(), jobs.size(), manifests.size())
          .forEach(body -> others.add(creation(path("services"), body)));
      partOf(bodies.pods(), jobs.size(), manifests.size())
          .forEach(body -> others.add(creation(podPath(), body)));
      jobs.add(new Job(manifest.getKey(), kind, manifest.getValue(), status.toString(), others));
    }
    return new Prepared(jobs);
  }

  private static List<byte[]> partOf(List<byte[]> all, int part, int parts) {
    int each = all.size() / parts;
    return all.subList(part * each, (part + 1) * each);
  }

  private String path(String kind) {
    return "/api/v1/namespaces/" + namespace + "/" + kind;
  }

  private String podPath() {
    return path("pods");
  }

  private String submit(Job job) {
    return Api.insist(
            "the creation of job " + job.name(),
            () -> api.post(resource.path(namespace), job.manifest().getBytes(UTF_8)))
        .body();
  }

  private CompletableFuture<Void> writeFor(Job job, String stored, ExecutorService threads) {
    String uid = RawClient.firstValue(stored, "uid");
    List<CompletableFuture<?>> answers = new ArrayList<>();
    String version = RawClient.firstValue(stored, "resourceVersion");
    answers.add(CompletableFuture.runAsync(() -> status(job, uid, version), threads));
    for (int i = 0; i < EVENTS; i++) {
      byte[] event = event(job, uid, i);
      answers.add(CompletableFuture.runAsync(creation(path("events"), event), threads));
    }
    job.others().forEach(other -> answers.add(CompletableFuture.runAsync(other, threads)));
    return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new));
  }

  private Runnable creation(String path, byte[] body) {
    return () -> {
      Api.Answer unused = Api.insist("a creation in " + path, () -> api.post(path, body));
    };
  }

  private void status(Job job, String uid, String version) {
    byte[] body =
        """
        {%s,"metadata":{"name":"%s","namespace":"%s","uid":"%s","resourceVersion":"%s"},\
        "status":%s}\
        """
            .formatted(job.kind(), job.name(), namespace, uid, version, job.status())
            .getBytes(UTF_8);
    Api.Answer unused =
        Api.insist(
            "the status of job " + job.name(),
            () -> api.put(resource.path(namespace) + "/" + job.name() + "/status", body));
  }

  private byte[] event(Job job, String uid, int number) {
    String now = SwiftKubelet.now();
    return """
    {"apiVersion":"v1","kind":"Event","metadata":{"name":"%1$s.%2$s.%3$d","namespace":"%4$s"},\
    "involvedObject":{%5$s,"name":"%1$s","namespace":"%4$s","uid":"%2$s"},"type":"Normal",\
    "reason":"Created","message":"the Service and the pods were created",\
    "source":{"component":"pytorchtrainingjob-operator"},\
    "reportingComponent":"pytorchtrainingjob-operator","reportingInstance":"",\
    "firstTimestamp":"%6$s","lastTimestamp":"%6$s","count":1}\
    """
        .formatted(job.name(), uid, number, namespace, job.kind(), now)
        .getBytes(UTF_8);
  }
}
