package dev.tensorstack.training.kind.toy;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.controlplane.ControlPlaneExtension;
import dev.tensorstack.training.core.ledger.StoredLedger;
import dev.tensorstack.training.fakekubelet.FakeKubelet;
import dev.tensorstack.training.fakekubelet.FakeKubeletOptions;
import dev.tensorstack.training.kind.EngineProcess;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A third kind of job runs through the engine (docs/architecture.md, Add a kind). */
@ExtendWith(ControlPlaneExtension.class)
class ToyKindIT {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static final String CRD =
      """
      apiVersion: apiextensions.k8s.io/v1
      kind: CustomResourceDefinition
      metadata: {name: toyjobs.toys.example.com}
      spec:
        group: toys.example.com
        scope: Namespaced
        names: {kind: ToyJob, plural: toyjobs, singular: toyjob}
        versions:
        - name: v1
          served: true
          storage: true
          subresources: {status: {}}
          schema:
            openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}
      """;

  private final ControlPlane controlPlane;
  private final KubernetesClient client;
  private final String namespace;
  private final FakeKubelet kubelet;
  private EngineProcess process;

  ToyKindIT(ControlPlane controlPlane) {
    this.controlPlane = controlPlane;
    this.client = controlPlane.client();
    controlPlane.kubectlWithInput(CRD, "apply", "-f", "-").orThrow();
    controlPlane.awaitCrd("toyjobs.toys.example.com");
    namespace = controlPlane.createNamespace("toys");
    kubelet = FakeKubelet.start(client, FakeKubeletOptions.nodes(1).namePrefix("toys"));
    process = new EngineProcess(controlPlane, namespace, ToyReconciler::new);
  }

  @BeforeEach
  void begin() {
    assertThat(pods()).isEmpty();
  }

  @AfterEach
  void stop() {
    process.close();
    kubelet.close();
  }

  private void apply(String name, int parts, boolean pause) {
    controlPlane
        .kubectlWithInput(
            """
            {"apiVersion": "toys.example.com/v1", "kind": "ToyJob", "metadata": {"name": "%s"},
             "spec": {"parts": %d, "image": "toy:1", "pause": %s}}
            """
                .formatted(name, parts, pause),
            "apply",
            "-n",
            namespace,
            "-f",
            "-")
        .orThrow();
  }

  private ToyJob.Status awaitMood(String name, String mood) {
    return await(name + " is " + mood)
        .atMost(PATIENCE)
        .until(
            () -> {
              ToyJob job =
                  client.resources(ToyJob.class).inNamespace(namespace).withName(name).get();
              return job == null ? null : job.getStatus();
            },
            status -> status != null && status.mood().equals(mood));
  }

  private static StoredLedger memory(ToyJob.Status status) {
    return requireNonNull(status.memory(), "a job that the engine has seen has a ledger");
  }

  private List<Pod> pods() {
    return client.pods().inNamespace(namespace).list().getItems();
  }

  private Set<String> names() {
    return pods().stream().map(pod -> pod.getMetadata().getName()).collect(Collectors.toSet());
  }

  private Map<String, String> uids() {
    return pods().stream()
        .collect(
            Collectors.toMap(
                pod -> pod.getMetadata().getName(), pod -> pod.getMetadata().getUid()));
  }

  @Test
  void aKindWithOtherNamesLabelsAndStatusLivesThroughTheSameEngine() {
    apply("robot", 2, false);
    ToyJob.Status running = awaitMood("robot", "Running");
    assertThat(running.story()).isEqualTo("2 of 2 pods run");
    assertThat(names()).containsExactlyInAnyOrder("robot-part-0", "robot-part-1");
    assertThat(pods())
        .allSatisfy(
            pod -> {
              assertThat(pod.getMetadata().getLabels())
                  .containsOnlyKeys(
                      "toys.example.com/job",
                      "toys.example.com/part",
                      "toys.example.com/round",
                      "toys.example.com/for");
              assertThat(pod.getMetadata().getOwnerReferences())
                  .singleElement()
                  .satisfies(owner -> assertThat(owner.getKind()).isEqualTo("ToyJob"));
            });
    assertThat(client.services().inNamespace(namespace).withName("toy-robot").get()).isNotNull();

    // A failure is counted, and its pod replaced under the kind's own name for it.
    kubelet.finish(namespace, "robot-part-1", 1);
    await("the replacement").atMost(PATIENCE).until(() -> names().contains("robot-part-1-again-1"));
    assertThat(memory(awaitMood("robot", "Running")).backoff()).isEqualTo(1);

    // Another process goes on with what is stored.
    Map<String, String> before = uids();
    process.close();
    process = new EngineProcess(controlPlane, namespace, ToyReconciler::new);
    apply("second", 1, false);
    awaitMood("second", "Running");
    assertThat(uids()).containsAllEntriesOf(before);

    apply("robot", 2, true);
    awaitMood("robot", "Paused");
    assertThat(names()).noneMatch(name -> name.startsWith("robot-part-0"));
    apply("robot", 2, false);
    awaitMood("robot", "Running");
    kubelet.finish(namespace, "robot-part-0-again-1", 0);
    ToyJob.Status succeeded = awaitMood("robot", "Succeeded");
    assertThat(requireNonNull(memory(succeeded).outcome()).succeeded()).isTrue();
    await("the clean-up policy of the kind")
        .atMost(PATIENCE)
        .until(() -> names().stream().noneMatch(name -> name.startsWith("robot")));

    assertThat(client.v1().events().inNamespace(namespace).list().getItems())
        .extracting(Event::getReason)
        .contains("Created", "Running", "ReplicaFailed", "Restarting", "Paused", "Succeeded");

    apply("none", 0, false);
    assertThat(awaitMood("none", "Failed").story()).contains("spec.parts", "write 1 or more");
  }
}
