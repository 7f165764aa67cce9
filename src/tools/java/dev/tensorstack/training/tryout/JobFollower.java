package dev.tensorstack.training.tryout;

import dev.tensorstack.training.kind.trainingjob.TrainingJobLabels;
import dev.tensorstack.training.kind.trainingjob.v1beta1.Columns;
import dev.tensorstack.training.kind.trainingjob.v1beta1.JobCondition;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJob;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Shows a job's progress while it runs: its state when that changes, and what its pods print. */
final class JobFollower {

  private static final long POLL_MILLIS = 300;
  private static final int MOST_UNANSWERED = 20;
  private static final long LOG_END_MILLIS = 5_000;

  private final KubernetesClient client;
  private final String namespace;
  private final String name;
  private final Path logs;
  private final Consumer<String> progress;
  private final List<JobSteps> steps;
  private final TrainingOutput output = new TrainingOutput();
  private final Map<String, Thread> followed = new HashMap<>();
  private String shown = "";

  /**
   * A follower of one job.
   *
   * @param logs the directory where the pods' logs are kept, a file for each pod
   * @param steps what is done to the job meanwhile
   * @param progress receives lines for the person who waits
   */
  JobFollower(
      KubernetesClient client,
      String namespace,
      String name,
      Path logs,
      List<JobSteps> steps,
      Consumer<String> progress) {
    this.client = client;
    this.namespace = namespace;
    this.name = name;
    this.logs = logs;
    this.progress = progress;
    this.steps = List.copyOf(steps);
  }

  /**
   * Follows the job until it has ended and its logs are read.
   *
   * @return the job as it is then
   * @throws StepFailedException when a step has not led where it had to
   */
  PyTorchTrainingJob untilEnded() throws InterruptedException {
    int unanswered = 0;
    while (true) {
      try {
        Sight sight = look();
        PyTorchTrainingJob job = sight.job();
        unanswered = 0;
        if (job.getStatus() != null && job.getStatus().completionTime() != null) {
          for (Thread log : followed.values()) {
            log.join(LOG_END_MILLIS);
          }
          return job;
        }
        steps.forEach(each -> each.next(sight));
      } catch (KubernetesClientException problem) {
        // A connection that the other side closes just then is no reason to give up; the client
        // says
        // -1 or 0 when there was no answer.
        if (problem.getCode() > 0 || ++unanswered > MOST_UNANSWERED) {
          throw problem;
        }
      }
      TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
    }
  }

  /** Reads the job, and shows what is new. */
  private Sight look() {
    PyTorchTrainingJob job =
        Objects.requireNonNull(
            client.resources(PyTorchTrainingJob.class).inNamespace(namespace).withName(name).get(),
            "job " + name + " was deleted");
    List<Pod> pods =
        client
            .pods()
            .inNamespace(namespace)
            .withLabel(TrainingJobLabels.OWNER_NAME, name)
            .list()
            .getItems();
    pods.removeIf(
        pod -> !pod.getMetadata().getLabels().containsKey(TrainingJobLabels.REPLICA_TYPE));
    followNew(pods);
    String state = state(job);
    if (!state.equals(shown)) {
      progress.accept(state);
      shown = state;
    }
    return new Sight(job, pods, output);
  }

  /** The last accuracy that a pod printed, or null. */
  @Nullable String accuracy() {
    return output.accuracy();
  }

  /** Why the job failed: the message of its Failed condition. */
  String reason(PyTorchTrainingJob job) {
    return job.getStatus().conditions().stream()
        .filter(condition -> "Failed".equals(condition.type()))
        .map(JobCondition::message)
        .findFirst()
        .orElse("unknown");
  }

  private static String state(PyTorchTrainingJob job) {
    PyTorchTrainingJobStatus status = job.getStatus();
    if (status == null || status.columns() == null) {
      return "job " + job.getMetadata().getName() + ": created";
    }
    Columns columns = status.columns();
    return "job "
        + job.getMetadata().getName()
        + ": "
        + status.phase()
        + ", running "
        + columns.running()
        + ", restarts "
        + columns.restarts()
        + ("-".equals(columns.reason()) ? "" : ", " + columns.reason());
  }

  private void followNew(List<Pod> pods) {
    for (Pod pod : pods) {
      String phase = pod.getStatus() == null ? "Pending" : pod.getStatus().getPhase();
      if (!"Pending".equals(phase)) {
        followed.computeIfAbsent(pod.getMetadata().getName(), any -> follow(pod));
      }
    }
  }

  private Thread follow(Pod pod) {
    String podName = pod.getMetadata().getName();
    String prefix =
        pod.getMetadata().getLabels().get(TrainingJobLabels.REPLICA_TYPE)
            + "-"
            + pod.getMetadata().getLabels().get(TrainingJobLabels.REPLICA_INDEX);
    String container = pod.getSpec().getContainers().get(0).getName();
    Path file = logs.resolve(podName + ".log");
    Thread thread =
        new Thread(
            () -> {
              try (var watch =
                      client
                          .pods()
                          .inNamespace(namespace)
                          .withName(podName)
                          .inContainer(container)
                          .watchLog();
                  var lines =
                      new BufferedReader(
                          new InputStreamReader(watch.getOutput(), StandardCharsets.UTF_8))) {
                Files.deleteIfExists(file);
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                  print(prefix, line, file);
                }
              } catch (IOException ended) {
                progress.accept(prefix + " | the log ended: " + ended.getMessage());
              }
            },
            "log-" + podName);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private void print(String prefix, String line, Path file) {
    progress.accept(prefix + " | " + line);
    output.add(line);
    try {
      Files.writeString(file, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    } catch (IOException problem) {
      throw new UncheckedIOException(problem);
    }
  }
}
