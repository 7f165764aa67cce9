package dev.tensorstack.training.tryout;

import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.kind.trainingjob.TrainingJobLabels;
import dev.tensorstack.training.kind.trainingjob.v1beta1.LastFailure;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJob;
import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Jobs of real torchrun that fail: does the status name the pod with the traceback, and is its log
 * still there?
 */
final class FailingJobs {

  private static final Duration LONGEST = Duration.ofMinutes(12);
  private static final long POLL_MILLIS = 500;
  private static final int[] NODES = {2, 4};

  private final ControlPlane controlPlane;
  private final KubernetesClient client;
  private final String namespace;
  private final int runs;
  private final Path directory;
  private final Consumer<String> progress;

  /**
   * How it went.
   *
   * @param problem what was not as promised; null when all was
   * @param wasFirst whether no other pod of the job had ended before that with the traceback
   */
  private record Result(@Nullable String problem, boolean wasFirst) {}

  /**
   * Rows of jobs.
   *
   * @param runs how many jobs with each number of nodes
   * @param directory where the logs and the status of a job go that does not end as promised
   * @param progress receives lines for the person who waits
   */
  FailingJobs(
      ControlPlane controlPlane,
      String namespace,
      int runs,
      Path directory,
      Consumer<String> progress) {
    this.controlPlane = controlPlane;
    this.client = controlPlane.client();
    this.namespace = namespace;
    this.runs = runs;
    this.directory = directory;
    this.progress = progress;
  }

  /**
   * Runs them all, one after the other: on one machine, only one rendezvous can listen on its port.
   *
   * @return whether all ended as promised
   */
  boolean allAsPromised() throws InterruptedException {
    boolean all = true;
    for (int nodes : NODES) {
      List<Result> results = new ArrayList<>();
      for (int number = 0; number < runs; number++) {
        results.add(run(FailingJob.of(number, nodes)));
      }
      long good = results.stream().filter(result -> result.problem() == null).count();
      long late = results.stream().filter(result -> !result.wasFirst()).count();
      progress.accept(
          "torchrun on "
              + nodes
              + " nodes: in "
              + good
              + " of "
              + results.size()
              + " jobs the pod with the traceback is named and its log is there ("
              + late
              + " times another pod had ended before it)");
      all &= good == results.size();
    }
    return all;
  }

  private Result run(FailingJob job) throws InterruptedException {
    controlPlane.kubectlWithInput(job.manifest(), "apply", "-n", namespace, "-f", "-").orThrow();
    Instant begin = Instant.now();
    PyTorchTrainingJob ended = untilEnded(job, begin.plus(LONGEST));
    List<Pod> pods = pods(job);
    String problem = ended == null ? "it did not end within " + LONGEST : problem(job, ended, pods);
    boolean wasFirst = wasFirst(job, pods);
    if (problem != null) {
      keep(job, ended, pods);
    }
    progress.accept(
        job.name()
            + ", process "
            + job.process()
            + " of "
            + job.replica()
            + ": "
            + (problem == null ? "as promised" : "NOT AS PROMISED: " + problem)
            + (wasFirst ? "" : "; another pod had ended before it"));
    controlPlane
        .kubectlWithInput(job.manifest(), "delete", "-n", namespace, "--wait=false", "-f", "-")
        .orThrow();
    return new Result(problem, wasFirst);
  }

  private @Nullable PyTorchTrainingJob untilEnded(FailingJob job, Instant latest)
      throws InterruptedException {
    while (Instant.now().isBefore(latest)) {
      PyTorchTrainingJob seen =
          client
              .resources(PyTorchTrainingJob.class)
              .inNamespace(namespace)
              .withName(job.name())
              .get();
      if (seen.getStatus() != null
          && seen.getStatus().completionTime() != null
          && pods(job).stream().noneMatch(pod -> "Running".equals(pod.getStatus().getPhase()))) {
        return seen;
      }
      TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
    }
    return null;
  }

  private List<Pod> pods(FailingJob job) {
    return client
        .pods()
        .inNamespace(namespace)
        .withLabel(TrainingJobLabels.OWNER_NAME, job.name())
        .list()
        .getItems();
  }

  private @Nullable String problem(FailingJob job, PyTorchTrainingJob ended, List<Pod> pods) {
    LastFailure failure = ended.getStatus().lastFailure();
    if (!"Failed".equals(ended.getStatus().phase()) || failure == null) {
      return "it is " + ended.getStatus().phase() + ", last failure " + failure;
    }
    if (!job.replica().equals(failure.replica())) {
      return "it names " + failure.replica() + ": " + failure.message();
    }
    if (!job.exception().equals(failure.message())) {
      return "it says: " + failure.message();
    }
    if (pods.stream().noneMatch(pod -> pod.getMetadata().getName().equals(failure.pod()))) {
      return "pod " + failure.pod() + " is gone";
    }
    String log = log(failure.pod());
    return log.contains("Traceback") && log.contains(job.exception())
        ? null
        : "the log of pod " + failure.pod() + " has no traceback";
  }

  private String log(String pod) {
    try {
      return client.pods().inNamespace(namespace).withName(pod).getLog();
    } catch (KubernetesClientException gone) {
      return "no log: " + gone.getMessage();
    }
  }

  /** In whole seconds, as kubelets tell it. */
  private static boolean wasFirst(FailingJob job, List<Pod> pods) {
    Map<String, Instant> ends =
        pods.stream()
            .filter(pod -> end(pod) != null)
            .collect(
                Collectors.toMap(
                    FailingJobs::replica, pod -> Objects.requireNonNull(end(pod)), (a, b) -> a));
    Instant own = ends.get(job.replica());
    Instant first = ends.values().stream().min(Comparator.naturalOrder()).orElse(null);
    return own != null && own.equals(first);
  }

  private static String replica(Pod pod) {
    Map<String, String> labels = pod.getMetadata().getLabels();
    return labels.get(TrainingJobLabels.REPLICA_TYPE)
        + "-"
        + labels.get(TrainingJobLabels.REPLICA_INDEX);
  }

  private static @Nullable Instant end(Pod pod) {
    return pod.getStatus().getContainerStatuses().stream()
        .map(ContainerStatus::getState)
        .map(state -> state == null ? null : state.getTerminated())
        .filter(Objects::nonNull)
        .map(ContainerStateTerminated::getFinishedAt)
        .map(Instant::parse)
        .findFirst()
        .orElse(null);
  }

  private void keep(FailingJob job, @Nullable PyTorchTrainingJob ended, List<Pod> pods) {
    try {
      Path folder = Files.createDirectories(directory.resolve(job.name()));
      Files.writeString(
          folder.resolve("status.txt"),
          (ended == null ? "" : ended.getStatus())
              + "\n"
              + controlPlane
                  .kubectl(
                      "get",
                      "pods",
                      "-n",
                      namespace,
                      "-o",
                      "yaml",
                      "-l",
                      TrainingJobLabels.OWNER_NAME + "=" + job.name())
                  .stdout());
      for (Pod pod : pods) {
        String name = pod.getMetadata().getName();
        Files.writeString(folder.resolve(name + ".log"), log(name));
      }
      progress.accept(job.name() + ": status and logs are in " + folder);
    } catch (IOException problem) {
      progress.accept(job.name() + ": status and logs cannot be kept: " + problem);
    }
  }
}
