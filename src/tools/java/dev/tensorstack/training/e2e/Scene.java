package dev.tensorstack.training.e2e;

import dev.tensorstack.training.kind.trainingjob.TrainingJobLabels;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJob;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

/**
 * A namespace with jobs of one test class. Unless told otherwise, pod security {@code restricted}
 * holds in it, too: what the operator makes has to pass.
 */
final class Scene implements AutoCloseable {

  /** How long a condition may take to come, on a machine that is busy. */
  static final Duration PATIENCE = Duration.ofMinutes(5);

  private final KubernetesClient client;
  private final String namespace;

  /**
   * Makes the namespace, with pod security {@code restricted}.
   *
   * @param client an administrator
   * @param namespace its name
   */
  Scene(KubernetesClient client, String namespace) {
    this(client, namespace, "restricted");
  }

  /**
   * Makes the namespace.
   *
   * @param client an administrator
   * @param namespace its name
   * @param podSecurity which pods may run in it: {@code restricted} or {@code baseline}
   */
  Scene(KubernetesClient client, String namespace, String podSecurity) {
    this.client = client;
    this.namespace = namespace;
    apply(
        """
        apiVersion: v1
        kind: Namespace
        metadata:
          name: %s
          labels:
            pod-security.kubernetes.io/enforce: %s
        """
            .formatted(namespace, podSecurity));
  }

  /** The namespace's name. */
  String namespace() {
    return namespace;
  }

  /**
   * Applies objects as a user does.
   *
   * @param yaml their manifests
   */
  void apply(String yaml) {
    Program.kubectlWith(yaml, "apply", "-n", namespace, "-f", "-").orThrow();
  }

  /**
   * Runs kubectl in the namespace.
   *
   * @param arguments its arguments
   * @return what it gave, whatever the exit code is
   */
  ProgramResult kubectl(String... arguments) {
    List<String> all = new ArrayList<>(List.of("-n", namespace));
    all.addAll(List.of(arguments));
    return Program.kubectl(all.toArray(String[]::new));
  }

  /** The job now. */
  PyTorchTrainingJob job(String name) {
    return Objects.requireNonNull(
        client.resources(PyTorchTrainingJob.class).inNamespace(namespace).withName(name).get(),
        "job " + name);
  }

  /** What the operator says of the job now; fails when it has said nothing. */
  PyTorchTrainingJobStatus status(String name) {
    return Objects.requireNonNull(job(name).getStatus(), "status of " + name);
  }

  /**
   * Waits for a status; a time-out shows job, pods and events.
   *
   * @param name the job
   * @param what what is waited for
   * @param condition true when it has come
   * @return the status then
   */
  PyTorchTrainingJobStatus await(
      String name, String what, Predicate<PyTorchTrainingJobStatus> condition) {
    try {
      return Awaitility.await(what + " of " + name)
          .atMost(PATIENCE)
          .pollInterval(Duration.ofMillis(200))
          .ignoreExceptionsMatching(Scene::passes)
          .until(() -> job(name), job -> seen(job, condition))
          .getStatus();
    } catch (ConditionTimeoutException late) {
      throw new AssertionError(late.getMessage() + "\n" + describe(name), late);
    }
  }

  private static boolean seen(
      PyTorchTrainingJob job, Predicate<PyTorchTrainingJobStatus> condition) {
    return job.getStatus() != null && condition.test(job.getStatus());
  }

  /** An API server that is busy for a moment is no finding. */
  private static boolean passes(Throwable problem) {
    return problem instanceof KubernetesClientException refused && refused.getCode() <= 0;
  }

  /** Waits for a phase. */
  PyTorchTrainingJobStatus awaitPhase(String name, String phase) {
    return await(name, "phase " + phase, status -> phase.equals(status.phase()));
  }

  /** The job's pods that have neither ended nor are being deleted, by replica: {@code worker-0}. */
  Map<String, Pod> livePods(String name) {
    return pods(name).stream()
        .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null)
        .filter(pod -> !List.of("Succeeded", "Failed").contains(pod.getStatus().getPhase()))
        .collect(
            Collectors.toMap(
                Scene::replica,
                pod -> pod,
                (one, other) -> {
                  throw new AssertionError(
                      "two live pods of one replica: "
                          + one.getMetadata().getName()
                          + ", "
                          + other.getMetadata().getName());
                },
                TreeMap::new));
  }

  /** All of the job's pods, in the order of their names. */
  List<Pod> pods(String name) {
    return client
        .pods()
        .inNamespace(namespace)
        .withLabel(TrainingJobLabels.OWNER_NAME, name)
        .list()
        .getItems()
        .stream()
        .sorted(Comparator.comparing(pod -> pod.getMetadata().getName()))
        .toList();
  }

  /** The uids of the job's live pods by replica. */
  Map<String, String> uids(String name) {
    return livePods(name).entrySet().stream()
        .collect(
            Collectors.toMap(
                Map.Entry::getKey,
                entry -> entry.getValue().getMetadata().getUid(),
                (one, other) -> one,
                TreeMap::new));
  }

  /** The replica that a pod is of: {@code worker-0}. */
  static String replica(Pod pod) {
    Map<String, String> labels = pod.getMetadata().getLabels();
    return labels.get(TrainingJobLabels.REPLICA_TYPE)
        + "-"
        + labels.get(TrainingJobLabels.REPLICA_INDEX);
  }

  /** What a pod has printed; empty when it has printed nothing yet. */
  String log(Pod pod) {
    return kubectl("logs", pod.getMetadata().getName()).stdout();
  }

  /** What the live pod of a replica has printed; empty when there is none. */
  String log(String name, String replica) {
    Pod pod = livePods(name).get(replica);
    return pod == null ? "" : log(pod);
  }

  /**
   * Waits until a replica has printed something.
   *
   * @param name the job
   * @param replica for example {@code master-0}
   * @param what what is waited for
   * @param condition true when the log so far has it
   * @return the log then
   */
  String awaitLog(String name, String replica, String what, Predicate<String> condition) {
    try {
      return Awaitility.await(what + " in the log of " + name + " " + replica)
          .atMost(PATIENCE)
          .pollInterval(Duration.ofMillis(500))
          .until(() -> log(name, replica), condition);
    } catch (ConditionTimeoutException late) {
      throw new AssertionError(
          late.getMessage() + "\n" + log(name, replica) + "\n" + describe(name), late);
    }
  }

  /** The messages of the job's events, each after its reason. */
  List<String> events(String name) {
    return client
        .v1()
        .events()
        .inNamespace(namespace)
        .withField("involvedObject.name", name)
        .list()
        .getItems()
        .stream()
        .map(event -> event.getReason() + ": " + event.getMessage())
        .toList();
  }

  /** Deletes a job and waits until its pods are gone. */
  void delete(String name) {
    kubectl("delete", "pj", name, "--ignore-not-found").orThrow();
    Awaitility.await("the pods of " + name + " are gone")
        .atMost(PATIENCE)
        .until(() -> pods(name).isEmpty());
  }

  private String describe(String name) {
    return kubectl("describe", "pj", name).stdout() + kubectl("get", "pods", "-o", "wide").stdout();
  }

  /** Deletes the namespace and what is in it. */
  @Override
  public void close() {
    kubectl("delete", "pj", "--all", "--wait=false");
    Program.kubectl("delete", "namespace", namespace, "--wait=false");
    SharedVolume.delete(namespace);
  }
}
