package dev.tensorstack.training.tryout;

import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.HasMetadata;
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
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Shows a job's progress while it runs: its state when that changes, and what its pods print.
 *
 * @param <J> the kind of the job
 */
final class JobFollower<J extends HasMetadata> {

  private static final long POLL_MILLIS = 300;
  private static final int MOST_UNANSWERED = 20;
  private static final long LOG_END_MILLIS = 5_000;

  private final KubernetesClient client;
  private final FollowedKind<J> kind;
  private final String namespace;
  private final String name;
  private final Path logs;
  private final Consumer<String> progress;
  private final List<JobSteps<J>> steps;
  private final TrainingOutput output = new TrainingOutput();
  private final Map<Life, Thread> followed = new HashMap<>();
  private final Set<Path> written = new HashSet<>();
  private String shown = "";

  /**
   * One life of a pod's training container: pods that replace each other may have one name, and a
   * kubelet starts containers again in their pod.
   *
   * @param pod the pod's uid
   * @param restarts how often the container was started again
   */
  private record Life(String pod, int restarts) {}

  /**
   * A follower of one job.
   *
   * @param client may read jobs, pods and logs
   * @param kind the job's kind
   * @param namespace the job's namespace
   * @param name its name
   * @param logs the directory where the pods' logs are kept, a file for each pod
   * @param steps what is done to the job meanwhile
   * @param progress receives lines for the person who waits
   */
  JobFollower(
      KubernetesClient client,
      FollowedKind<J> kind,
      String namespace,
      String name,
      Path logs,
      List<JobSteps<J>> steps,
      Consumer<String> progress) {
    this.client = client;
    this.kind = kind;
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
  J untilEnded() throws InterruptedException {
    int unanswered = 0;
    while (true) {
      try {
        Sight<J> sight = look();
        J job = sight.job();
        unanswered = 0;
        if (kind.ended(job)) {
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
  private Sight<J> look() {
    J job =
        Objects.requireNonNull(
            client.resources(kind.type()).inNamespace(namespace).withName(name).get(),
            "job " + name + " was deleted");
    List<Pod> pods =
        client.pods().inNamespace(namespace).withLabel(kind.jobLabel(), name).list().getItems();
    pods.removeIf(pod -> kind.replica(pod).isEmpty());
    followNew(pods);
    String state = "job " + name + ": " + kind.state(job);
    if (!state.equals(shown)) {
      progress.accept(state);
      shown = state;
    }
    return new Sight<>(job, pods, output);
  }

  /** The last accuracy that a pod printed, or null. */
  @Nullable String accuracy() {
    return output.accuracy();
  }

  private void followNew(List<Pod> pods) {
    for (Pod pod : pods) {
      String phase = pod.getStatus() == null ? "Pending" : pod.getStatus().getPhase();
      if (!"Pending".equals(phase)) {
        Life life = new Life(pod.getMetadata().getUid(), restarts(pod));
        followed.computeIfAbsent(life, any -> follow(pod));
      }
    }
  }

  private int restarts(Pod pod) {
    String container = kind.container(pod);
    return pod.getStatus().getContainerStatuses().stream()
        .filter(status -> container.equals(status.getName()))
        .map(ContainerStatus::getRestartCount)
        .findFirst()
        .orElse(0);
  }

  private Thread follow(Pod pod) {
    String podName = pod.getMetadata().getName();
    String prefix = kind.replica(pod);
    String container = kind.container(pod);
    Path file = logs.resolve(podName + ".log");
    // Of an earlier try-out; what is printed by pods and containers of this one stands together.
    boolean first = written.add(file);
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
                if (first) {
                  Files.deleteIfExists(file);
                }
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
