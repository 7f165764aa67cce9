package dev.tensorstack.training.operator;

import static org.awaitility.Awaitility.await;

import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.fakekubelet.FakeKubelet;
import dev.tensorstack.training.fakekubelet.FakeKubeletOptions;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJob;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobStatus;
import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A namespace with nodes, and what happens to the pods of its jobs. */
final class RestartScene implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  final ControlPlane controlPlane;
  final KubernetesClient client;
  final String namespace;
  final Jobs jobs;
  final FakeKubelet kubelet;
  private final String pool;

  /** The namespace and the nodes of an {@link OperatorTest}, which ends them. */
  RestartScene(ControlPlane controlPlane, Jobs jobs, FakeKubelet kubelet) {
    this.controlPlane = controlPlane;
    this.client = controlPlane.client();
    this.pool = jobs.namespace();
    this.namespace = jobs.namespace();
    this.jobs = jobs;
    this.kubelet = kubelet;
  }

  /**
   * A scene with a namespace and nodes of its own.
   *
   * @param nodes the nodes; their names begin with the prefix
   * @param prefix of namespace and nodes
   */
  RestartScene(ControlPlane controlPlane, String prefix, FakeKubeletOptions nodes) {
    this.controlPlane = controlPlane;
    this.client = controlPlane.client();
    this.pool = prefix;
    OperatorProcess.installCrds(client);
    namespace = controlPlane.createNamespace(prefix);
    jobs = new Jobs(client, namespace);
    kubelet = FakeKubelet.start(client, nodes.namePrefix(prefix).label("pool", prefix));
  }

  @Override
  public void close() {
    kubelet.close();
  }

  /**
   * A job on this scene's nodes.
   *
   * @param runPolicy the runPolicy in flow style, possibly empty: {@code {}}
   * @param types each {@code type replicas restartPolicy}, and possibly the pool of its nodes
   * @return the manifest
   */
  String job(String name, String runPolicy, String... types) {
    StringBuilder yaml =
        new StringBuilder(
            """
            apiVersion: batch.tensorstack.dev/v1beta1
            kind: PyTorchTrainingJob
            metadata: {name: %s}
            spec:
              runPolicy: %s
              replicaSpecs:
            """
                .formatted(name, runPolicy));
    for (String type : types) {
      String[] words = type.split(" ");
      yaml.append(
          """
            - type: %s
              replicas: %s
              restartPolicy: %s
              template:
                spec:
                  nodeSelector: {pool: %s}
                  containers: [{name: pytorch, image: "registry.example/train:1", command: [python, train.py]}]
          """
              .formatted(words[0], words[1], words[2], words.length > 3 ? words[3] : pool));
    }
    return yaml.toString();
  }

  /** The name of a replica's pod, for example {@code worker-1} or {@code worker-1-r2}. */
  String pod(String job, String replica) {
    return jobs.base(job) + "-" + replica;
  }

  Pod get(String pod) {
    return client.pods().inNamespace(namespace).withName(pod).get();
  }

  /** Waits until a pod runs. */
  Pod awaitRunning(String pod) {
    return await(pod + " runs")
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(50))
        .until(() -> get(pod), one -> one != null && "Running".equals(one.getStatus().getPhase()));
  }

  /** Deletes a pod as a user does; grace null is the pod's own. */
  void delete(String pod, @Nullable Long grace) {
    var resource = client.pods().inNamespace(namespace).withName(pod);
    if (grace == null) {
      resource.delete();
    } else {
      resource.withGracePeriod(grace).delete();
    }
  }

  /** Reports a status of a pod as its kubelet would. */
  void report(String pod, String status) {
    client
        .pods()
        .inNamespace(namespace)
        .withName(pod)
        .subresource("status")
        .patch(PatchContext.of(PatchType.STRATEGIC_MERGE), "{\"status\": " + status + "}");
  }

  /** A failed pod whose container ended at a moment. */
  static String ended(Instant moment, String details) {
    return """
        {"phase": "Failed", "containerStatuses": [{"name": "pytorch", "ready": false, "restartCount": 0,
         "image": "registry.example/train:1", "imageID": "",
         "state": {"running": null, "terminated": {"finishedAt": "%s", %s}}}]}
        """
        .formatted(moment.truncatedTo(ChronoUnit.SECONDS), details);
  }

  /** Waits until the job runs again after that many restarts of its pods. */
  PyTorchTrainingJobStatus awaitRestarted(String job, int restarts) {
    PyTorchTrainingJob seen =
        jobs.await(
            job,
            "Running after " + restarts + " restarts",
            status ->
                "Running".equals(status.phase())
                    && status.aggregate().running() == status.replicas()
                    && status.tasks().stream().mapToInt(task -> task.restartCount()).sum()
                        == restarts);
    return seen.getStatus();
  }

  String kubectl(String... arguments) {
    return controlPlane
        .kubectl(
            Stream.concat(Stream.of(arguments), Stream.of("-n", namespace)).toArray(String[]::new))
        .orThrow();
  }

  /** The events of a job with a reason. */
  List<Event> events(String job, String reason) {
    return jobs.events(job).stream().filter(event -> event.getReason().equals(reason)).toList();
  }

  /** When a pod's container ended. */
  static Instant finishedAt(Pod pod) {
    ContainerStateTerminated end =
        pod.getStatus().getContainerStatuses().get(0).getState().getTerminated();
    return Instant.parse(end.getFinishedAt());
  }

  static Instant createdAt(Pod pod) {
    return Instant.parse(pod.getMetadata().getCreationTimestamp());
  }

  /** The names of pods without the stem. */
  List<String> replicas(String job) {
    String base = jobs.base(job) + "-";
    List<String> names = new ArrayList<>();
    for (Pod pod : jobs.pods(job)) {
      names.add(pod.getMetadata().getName().substring(base.length()));
    }
    return names;
  }

  /** Starts an operator for this namespace, with short delays and a setting more. */
  OperatorProcess operator(java.nio.file.Path kubeconfig, Map<String, String> more) {
    Map<String, String> settings = new java.util.HashMap<>(OperatorProcess.SHORT_DELAYS);
    settings.put("OPERATOR_WATCH_NAMESPACES", namespace);
    settings.putAll(more);
    return OperatorProcess.start(kubeconfig, settings);
  }
}
