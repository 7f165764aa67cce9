package dev.tensorstack.training.benchmark;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Submits jobs, watches them, and deletes them: the user of a benchmark. */
final class JobDesk implements AutoCloseable {

  private static final int PARALLELISM = 16;

  private final Api api;
  private final List<JobResource> resources;
  private final Map<String, JobLife> jobs = new ConcurrentHashMap<>();
  private final ExecutorService threads;
  private final List<WatchLoop> watches = new ArrayList<>();

  /** A desk for PyTorchTrainingJobs that watches all namespaces. */
  JobDesk(Api api) throws InterruptedException {
    this(api, JobResource.PYTORCH_TRAINING_JOB);
  }

  /** A desk for one kind of jobs that watches all namespaces. */
  JobDesk(Api api, JobResource resource) throws InterruptedException {
    this(api, List.of(resource));
  }

  /**
   * A desk for some kinds of jobs that watches all namespaces; a name is that of one job.
   *
   * @param resources the kinds; what is said of none in particular is meant of the first
   */
  JobDesk(Api api, List<JobResource> resources) throws InterruptedException {
    this.api = api;
    this.resources = resources;
    this.threads =
        Executors.newFixedThreadPool(
            PARALLELISM,
            task -> {
              Thread thread = new Thread(task, "job-desk");
              thread.setDaemon(true);
              return thread;
            });
    for (JobResource resource : resources) {
      watches.add(watch(resource));
    }
  }

  private WatchLoop watch(JobResource resource) throws InterruptedException {
    return WatchLoop.start(
        api,
        resource.path(),
        new WatchLoop.Handler() {
          @Override
          public void seen(JsonNode object, boolean deleted) {
            JsonNode metadata = object.path("metadata");
            JobLife life =
                job(resource, metadata.path("namespace").asText(), metadata.path("name").asText());
            if (deleted) {
              life.gone = System.nanoTime();
            } else {
              life.seen(object);
            }
          }

          @Override
          public void onlyThese(Set<String> uids) {
            // a benchmark does not depend on the news that a job is gone
          }
        });
  }

  /** What is known about a job. */
  JobLife job(String namespace, String name) {
    return job(resources.get(0), namespace, name);
  }

  private JobLife job(JobResource resource, String namespace, String name) {
    return jobs.computeIfAbsent(
        namespace + "/" + name, any -> new JobLife(resource, namespace, name));
  }

  /** Submits jobs, some at a time, by name and manifest; returns when all are accepted. */
  List<JobLife> submit(String namespace, Map<String, String> manifests) {
    return submit(resources.get(0), namespace, manifests);
  }

  /** The same with jobs of a kind. */
  List<JobLife> submit(JobResource resource, String namespace, Map<String, String> manifests) {
    List<JobLife> lives = new ArrayList<>();
    List<CompletableFuture<?>> answers = new ArrayList<>();
    manifests.forEach(
        (name, manifest) -> {
          JobLife life = job(resource, namespace, name);
          byte[] body = manifest.getBytes(UTF_8);
          lives.add(life);
          answers.add(
              CompletableFuture.runAsync(
                  () -> {
                    life.submitted = System.nanoTime();
                    Api.Answer unused =
                        Api.insist(
                            "the creation of job " + name,
                            () -> api.post(resource.path(namespace), body));
                    life.accepted = System.nanoTime();
                  },
                  threads));
        });
    answers.forEach(CompletableFuture::join);
    return lives;
  }

  /** Deletes all jobs of a namespace; their pods follow by garbage collection. */
  void deleteAll(String namespace) {
    resources.forEach(resource -> deleteAll(resource, namespace));
  }

  private void deleteAll(JobResource resource, String namespace) {
    Api.Answer unused =
        Api.insist(
            "the deletion of all jobs",
            () -> api.delete(resource.path(namespace), "{\"propagationPolicy\":\"Background\"}"));
  }

  /** Deletes a job. */
  void delete(JobLife job) {
    Api.Answer unused =
        api.delete(
            job.resource.path(job.namespace) + "/" + job.name,
            "{\"propagationPolicy\":\"Background\"}");
  }

  /** Forgets the jobs of a namespace that are gone. */
  void forget(String namespace) {
    jobs.values().removeIf(life -> life.namespace.equals(namespace) && life.gone != 0);
  }

  @Override
  public void close() {
    watches.forEach(WatchLoop::close);
    threads.shutdownNow();
  }
}
