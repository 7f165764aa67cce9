package dev.tensorstack.training.kind.pytorchjob;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.controlplane.ControlPlaneExtension;
import dev.tensorstack.training.fakekubelet.FakeKubelet;
import dev.tensorstack.training.fakekubelet.FakeKubeletOptions;
import dev.tensorstack.training.kind.EngineProcess;
import dev.tensorstack.training.operator.OperatorProcess;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Jobs of Kubeflow's kind on the engine and a real API server. */
@ExtendWith(ControlPlaneExtension.class)
class PyTorchJobIT {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final ControlPlane controlPlane;
  private final KubernetesClient client;
  private final String namespace;
  private final FakeKubelet kubelet;
  private EngineProcess process;

  PyTorchJobIT(ControlPlane controlPlane) {
    this.controlPlane = controlPlane;
    this.client = controlPlane.client();
    OperatorProcess.installCrds(client);
    namespace = controlPlane.createNamespace("pytorchjobs");
    kubelet = FakeKubelet.start(client, FakeKubeletOptions.nodes(1).namePrefix("pytorchjobs"));
    process = start();
  }

  private EngineProcess start() {
    return new EngineProcess(controlPlane, namespace, TestReconciler::new);
  }

  @AfterEach
  void stop() {
    process.close();
    kubelet.close();
  }

  private void apply(String name, String policy, int workers, boolean suspend) {
    controlPlane
        .kubectlWithInput(
            """
            apiVersion: kubeflow.org/v1
            kind: PyTorchJob
            metadata: {name: %1$s}
            spec:
              runPolicy: {suspend: %4$s, cleanPodPolicy: All}
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
                .formatted(name, policy, workers, suspend),
            "apply",
            "-n",
            namespace,
            "-f",
            "-")
        .orThrow();
  }

  private String get(String name, String column) {
    return controlPlane
        .kubectl("get", "pytorchjob", name, "-n", namespace, "-o", "jsonpath=" + column)
        .orThrow();
  }

  private void awaitState(String name, String state) {
    await(name + " is " + state)
        .atMost(PATIENCE)
        .until(() -> get(name, "{.status.conditions[-1:].type}").equals(state));
  }

  private Set<String> pods() {
    return client.pods().inNamespace(namespace).list().getItems().stream()
        .map(pod -> pod.getMetadata().getName())
        .collect(Collectors.toSet());
  }

  private Set<String> services() {
    return client.services().inNamespace(namespace).list().getItems().stream()
        .map(service -> service.getMetadata().getName())
        .collect(Collectors.toSet());
  }

  private Pod pod(String name) {
    return client.pods().inNamespace(namespace).withName(name).get();
  }

  @Test
  void aJobRunsWithAServiceForEachReplicaAndEndsWithItsMaster() {
    apply("mnist", "OnFailure", 2, false);
    awaitState("mnist", "Running");
    Set<String> replicas = Set.of("mnist-master-0", "mnist-worker-0", "mnist-worker-1");
    await("all pods").atMost(PATIENCE).until(() -> pods().equals(replicas));
    assertThat(services()).isEqualTo(replicas);
    Service service = client.services().inNamespace(namespace).withName("mnist-worker-1").get();
    assertThat(pod("mnist-worker-1").getMetadata().getLabels())
        .containsAllEntriesOf(service.getSpec().getSelector());
    assertThat(service.getSpec().getPublishNotReadyAddresses()).isTrue();
    assertThat(service.getSpec().getPorts())
        .singleElement()
        .satisfies(port -> assertThat(port.getName()).isEqualTo("pytorchjob-port"));
    assertThat(pod("mnist-worker-1").getSpec().getRestartPolicy()).isEqualTo("OnFailure");

    client.services().inNamespace(namespace).withName("mnist-worker-0").delete();
    await("the Service again").atMost(PATIENCE).until(() -> services().equals(replicas));

    controlPlane.kubectl("scale", "pytorchjob", "mnist", "-n", namespace, "--replicas=1").orThrow();
    await("the worker of the highest index leaves with its Service")
        .atMost(PATIENCE)
        .until(
            () ->
                pods().equals(Set.of("mnist-master-0", "mnist-worker-0"))
                    && services().equals(pods()));

    kubelet.finish(namespace, "mnist-master-0", 0);
    awaitState("mnist", "Succeeded");
    await("cleanPodPolicy All").atMost(PATIENCE).until(() -> pods().isEmpty());
    await("Services leave with their pods").atMost(PATIENCE).until(() -> services().isEmpty());
    assertThat(get("mnist", "{.status.conditions[*].type}")).isEqualTo("Created Running Succeeded");
    assertThat(get("mnist", "{.status.replicaStatuses.Worker.active}")).isEqualTo("0");
  }

  @Test
  void aReplacementHasTheSameNameAndCountsOnceAlsoWhenTheOperatorIsStartedAnew() {
    apply("digits", "ExitCode", 1, false);
    awaitState("digits", "Running");
    await("both pods").atMost(PATIENCE).until(() -> pods().size() == 2);
    String first = pod("digits-worker-0").getMetadata().getUid();
    kubelet.finish(namespace, "digits-worker-0", 137);
    await("the replacement")
        .atMost(PATIENCE)
        .until(
            () -> {
              Pod now = pod("digits-worker-0");
              return now != null && !now.getMetadata().getUid().equals(first);
            });
    awaitState("digits", "Running");
    assertThat(get("digits", "{.status.ledger.backoff}")).isEqualTo("1");
    String second = pod("digits-worker-0").getMetadata().getUid();

    process.close();
    process = start();
    kubelet.finish(namespace, "digits-worker-0", 143);
    await("another replacement")
        .atMost(PATIENCE)
        .until(
            () -> {
              Pod now = pod("digits-worker-0");
              return now != null && !Set.of(first, second).contains(now.getMetadata().getUid());
            });
    await("counted once each")
        .atMost(PATIENCE)
        .until(() -> get("digits", "{.status.ledger.backoff}").equals("2"));
    assertThat(pod("digits-master-0")).isNotNull();

    kubelet.finish(namespace, "digits-worker-0", 3);
    awaitState("digits", "Failed");
    assertThat(get("digits", "{.status.conditions[-1:].message}"))
        .contains("digits-worker-0", "exit code 3");
  }

  @Test
  void aSuspendedJobHasNothingAndIsResumedUnderTheSameNames() {
    apply("queued", "OnFailure", 1, true);
    awaitState("queued", "Suspended");
    assertThat(get("queued", "{.status.startTime}")).isEmpty();
    assertThat(pods()).isEmpty();

    apply("queued", "OnFailure", 1, false);
    awaitState("queued", "Running");
    await("both pods").atMost(PATIENCE).until(() -> pods().size() == 2);
    String first = pod("queued-worker-0").getMetadata().getUid();

    apply("queued", "OnFailure", 1, true);
    awaitState("queued", "Suspended");
    await("nothing is left").atMost(PATIENCE).until(() -> pods().isEmpty() && services().isEmpty());
    apply("queued", "OnFailure", 1, false);
    awaitState("queued", "Running");
    assertThat(pods()).isEqualTo(Set.of("queued-master-0", "queued-worker-0"));
    assertThat(pod("queued-worker-0").getMetadata().getUid()).isNotEqualTo(first);
  }
}
