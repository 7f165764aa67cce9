package dev.tensorstack.training.chart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.fakekubelet.FakeKubelet;
import dev.tensorstack.training.fakekubelet.FakeKubeletOptions;
import dev.tensorstack.training.operator.Jobs;
import dev.tensorstack.training.operator.OperatorProcess;
import dev.tensorstack.training.schedulers.Kueue;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@link RightsIT} for jobs in queues of Kueue: none of its rights is missing, none never used. */
@Tag("schedulers")
class QueueRightsIT {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static String job(String name, int workers, String labels) {
    return """
        apiVersion: batch.tensorstack.dev/v1beta1
        kind: PyTorchTrainingJob
        metadata: {name: %s, labels: {kueue.x-k8s.io/queue-name: team%s}}
        spec:
          replicaSpecs:
          - type: worker
            replicas: %d
            template:
              spec:
                containers:
                - name: pytorch
                  image: registry.example/train:1
                  command: [python, train.py]
                  resources: {requests: {cpu: 1}}
        """
        .formatted(name, labels, workers);
  }

  @Test
  void noneIsMissingAndNoneIsNeverUsed() {
    try (ControlPlane plane = ControlPlane.builder().auditLog(true).memoryForTime(true).start();
        Kueue kueue = Kueue.start(plane)) {
      plane
          .client()
          .namespaces()
          .resource(
              new NamespaceBuilder()
                  .withNewMetadata()
                  .withName(Helm.NAMESPACE)
                  .endMetadata()
                  .build())
          .create();
      String values =
          "webhook.failurePolicy=Ignore,webhook.timeoutSeconds=1,tests.enabled=false,kinds.pyTorchJob=false";
      Helm.on(plane.kubeconfig())
          .run(
              "install",
              Helm.RELEASE,
              ChartFiles.CHART.toString(),
              "--namespace",
              Helm.NAMESPACE,
              "--set",
              values)
          .orThrow();
      List<JsonNode> rendered =
          ChartFiles.documents(Helm.withoutCluster().template("--set", values).orThrow());
      SortedSet<String> given = Rights.given(rendered, Helm.RELEASE);
      given.removeIf(right -> !right.contains("kueue") && !right.contains("priorityclasses"));
      UsedRights used = new UsedRights(plane.auditLog(), Helm.NAMESPACE, Helm.RELEASE);
      String namespace = plane.createNamespace("queue-rights");
      kueue
          .queues()
          .clusterQueue(
              "rights",
              "default-flavor",
              Map.of("cpu", "2"),
              "{preemption: {withinClusterQueue: LowerPriority}}");
      kueue.queues().localQueue(namespace, "team", "rights");
      plane
          .kubectlWithInput(
              "{apiVersion: kueue.x-k8s.io/v1beta2, kind: WorkloadPriorityClass, metadata: {name:"
                  + " urgent}, value: 9}",
              "apply",
              "-f",
              "-")
          .orThrow();
      try (FakeKubelet kubelet =
              FakeKubelet.start(
                  plane.client(), FakeKubeletOptions.nodes(2).namePrefix("queue-rights"));
          OperatorProcess operator =
              OperatorProcess.start(
                  plane.serviceAccountKubeconfig(Helm.NAMESPACE, Helm.RELEASE),
                  OperatorProcess.SHORT_DELAYS)) {
        Jobs jobs = new Jobs(plane.client(), namespace);
        jobs.create(job("low", 2, ""));
        jobs.awaitPhase("low", "Running");
        jobs.create(job("high", 2, ", kueue.x-k8s.io/priority-class: urgent"));
        jobs.awaitPhase("high", "Running");
        jobs.patch("high", "{\"spec\":{\"runMode\":{\"pause\":{\"enabled\":true}}}}");
        jobs.awaitPhase("low", "Running");
        assertThat(operator.isAlive()).isTrue();
      }
      // A watch is in the log once it has ended.
      SortedSet<String> unused = new TreeSet<>(given);
      await("each right is used")
          .atMost(PATIENCE)
          .untilAsserted(
              () -> {
                unused.removeAll(used.allowed());
                // Asked for by the admission plugin OwnerReferencesPermissionEnforcement alone.
                unused.removeIf(right -> right.contains("workloads/finalizers"));
                assertThat(unused).isEmpty();
              });
      assertThat(used.refused()).as("requests that the chart's rights do not allow").isEmpty();
      assertThat(kueue.isRunning()).isTrue();
    }
  }
}
