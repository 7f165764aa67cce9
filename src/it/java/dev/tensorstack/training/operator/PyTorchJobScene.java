package dev.tensorstack.training.operator;

import static org.awaitility.Awaitility.await;

import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.controlplane.KubectlResult;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;

/** A namespace with PyTorchJobs, as their users work with them: through kubectl. */
final class PyTorchJobScene {

  static final Duration PATIENCE = Duration.ofSeconds(60);

  final ControlPlane controlPlane;
  final KubernetesClient client;
  final String namespace;

  PyTorchJobScene(ControlPlane controlPlane, String namespace) {
    this.controlPlane = controlPlane;
    this.client = controlPlane.client();
    this.namespace = namespace;
  }

  /** Starts an operator with webhooks for this namespace, and short delays. */
  OperatorProcess operator(Map<String, String> more) {
    Map<String, String> settings = new LinkedHashMap<>(OperatorProcess.SHORT_DELAYS);
    settings.put("OPERATOR_WATCH_NAMESPACES", namespace);
    settings.putAll(more);
    return OperatorProcess.startWithWebhooks(controlPlane.kubeconfig(), settings);
  }

  /**
   * A job with a master and workers.
   *
   * @param runPolicy in flow style, possibly empty: {@code {}}
   */
  static String manifest(String name, String policy, int workers, String runPolicy) {
    return """
    apiVersion: kubeflow.org/v1
    kind: PyTorchJob
    metadata: {name: %1$s}
    spec:
      runPolicy: %4$s
      pytorchReplicaSpecs:
        Master:
          restartPolicy: %2$s
          template: &template
            spec: {containers: [{name: pytorch, image: "registry.example/train:1"}]}
        Worker:
          replicas: %3$d
          restartPolicy: %2$s
          template: *template
    """
        .formatted(name, policy, workers, runPolicy);
  }

  void apply(String yaml) {
    tryToApply(yaml).orThrow();
  }

  KubectlResult tryToApply(String yaml) {
    return controlPlane.kubectlWithInput(yaml, "apply", "-n", namespace, "-f", "-");
  }

  KubectlResult patch(String name, String mergePatch) {
    return controlPlane.kubectl(
        "patch", "pytorchjob", name, "-n", namespace, "--type=merge", "-p", mergePatch);
  }

  String get(String name, String path) {
    return controlPlane
        .kubectl("get", "pytorchjob", name, "-n", namespace, "-o", "jsonpath=" + path)
        .orThrow();
  }

  /** What the column State shows. */
  String state(String name) {
    return get(name, "{.status.conditions[-1:].type}");
  }

  void awaitState(String name, String state) {
    awaitThat(name + " is " + state, () -> state(name).equals(state));
  }

  void awaitThat(String what, Callable<Boolean> condition) {
    await(what).atMost(PATIENCE).until(condition);
  }

  Set<String> pods() {
    return client.pods().inNamespace(namespace).list().getItems().stream()
        .map(pod -> pod.getMetadata().getName())
        .collect(Collectors.toSet());
  }

  Set<String> pods(String job) {
    return pods().stream().filter(name -> name.startsWith(job + "-")).collect(Collectors.toSet());
  }

  Set<String> services(String job) {
    return client.services().inNamespace(namespace).list().getItems().stream()
        .map(service -> service.getMetadata().getName())
        .filter(name -> name.startsWith(job + "-"))
        .collect(Collectors.toSet());
  }

  Pod pod(String name) {
    return client.pods().inNamespace(namespace).withName(name).get();
  }

  String uid(String pod) {
    return pod(pod).getMetadata().getUid();
  }

  /** The reasons of a job's events. */
  List<Event> events(String job) {
    return client
        .v1()
        .events()
        .inNamespace(namespace)
        .withField("involvedObject.name", job)
        .list()
        .getItems();
  }

  Set<String> reasons(String job) {
    return events(job).stream().map(Event::getReason).collect(Collectors.toSet());
  }
}
