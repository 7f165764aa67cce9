package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.controlplane.KubectlResult;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.nio.file.Files;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** What an operator does on a cluster that is not ready for it; on a control plane of its own. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class StartIT {

  private final ControlPlane controlPlane = ControlPlane.builder().scheduler(false).start();

  @AfterAll
  void stop() {
    controlPlane.close();
  }

  @Test
  void anOperatorThatIsThereBeforeTheCrdServesJobsOnceItIsInstalled() {
    KubernetesClient client = controlPlane.client();
    String namespace = controlPlane.createNamespace("start");
    try (OperatorProcess operator = OperatorProcess.launch(controlPlane.kubeconfig(), Map.of())) {
      Awaitility.await("the operator misses the CRD; log: " + operator.log())
          .until(() -> Files.readString(operator.log()).contains("pytorchtrainingjobs"));
      assertThat(operator.isAlive()).isTrue();
      OperatorProcess.installCrds(client);
      operator.awaitReady();

      Jobs jobs = new Jobs(client, namespace);
      jobs.create(Jobs.simple("late", 2, "Never"));
      assertThat(jobs.awaitPods("late", 2)).hasSize(2);
      whatTheApiServerKeeps(namespace);
    }
  }

  /** The template is never pruned; a field that is unknown elsewhere is told and dropped. */
  private void whatTheApiServerKeeps(String namespace) {
    KubectlResult applied =
        controlPlane.kubectlWithInput(
            """
            apiVersion: batch.tensorstack.dev/v1beta1
            kind: PyTorchTrainingJob
            metadata: {name: kept}
            spec:
              unheardOf: 1
              torchrunConfig: {enable: true, procPerNode: 1}
              runMode: {pause: {enable: true}}
              replicaSpecs:
              - type: worker
                template:
                  spec:
                    fieldOfTomorrow: {a: [1, 2]}
                    containers: [{name: c, image: i, args: [t.py], alsoNew: true}]
            """,
            "apply",
            "--validate=warn",
            "-n",
            namespace,
            "-f",
            "-");
    assertThat(applied.exitCode()).as(applied.stderr()).isZero();
    assertThat(applied.stderr()).contains("unknown field \"spec.unheardOf\"");
    String stored =
        controlPlane.kubectl("get", "pj", "kept", "-n", namespace, "-o", "json").orThrow();
    assertThat(stored)
        .contains("\"fieldOfTomorrow\"", "\"alsoNew\": true", "\"enable\": true")
        .doesNotContain("\"unheardOf\": 1");
    new Jobs(controlPlane.client(), namespace).awaitPhase("kept", "Paused");
  }
}
