package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.controlplane.ControlPlaneExtension;
import dev.tensorstack.training.fakekubelet.FakeKubelet;
import dev.tensorstack.training.fakekubelet.FakeKubeletOptions;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/** A job's life on a real API server, with a fake kubelet. */
@ExtendWith(ControlPlaneExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TrainingIT {

  private final String namespace;
  private final Jobs jobs;
  private final FakeKubelet kubelet;
  private final OperatorProcess operator;

  TrainingIT(ControlPlane controlPlane, KubernetesClient client) {
    OperatorProcess.installCrd(client);
    namespace = controlPlane.createNamespace("training");
    jobs = new Jobs(client, namespace);
    kubelet = FakeKubelet.start(client, FakeKubeletOptions.nodes(2).namePrefix("training"));
    operator =
        OperatorProcess.start(
            controlPlane.kubeconfig(), Map.of("OPERATOR_WATCH_NAMESPACES", namespace));
  }

  @AfterAll
  void stop() {
    operator.close();
    kubelet.close();
  }

  @Test
  void theMastersSuccessIsTheJobsSuccess() {
    jobs.create(Jobs.simple("success", 4, "Never"));
    jobs.awaitPhase("success", "Running");
    kubelet.finish(namespace, jobs.base("success") + "-worker-0", 0);
    jobs.awaitPhase("success", "Succeeded");

    assertThat(jobs.awaitPods("success", 1))
        .singleElement()
        .extracting(pod -> pod.getMetadata().getName())
        .isEqualTo(jobs.base("success") + "-worker-0");
    assertThat(jobs.get("success").getStatus().backoffCount()).isZero();
  }

  @Test
  void theMetricsPageHasTheOperatorsOwnSeriesAndTheFrameworks() {
    jobs.create(Jobs.simple("measured", 2, "Never"));
    jobs.awaitPhase("measured", "Running");

    String metrics = operator.get("/q/metrics").body();
    assertThat(metrics)
        .containsPattern("(?m)^pytorchtrainingjob_pods_created_total [1-9]")
        .containsPattern("(?m)^operator_sdk_reconciliations_success_total.* [1-9]");
    assertThat(operator.get("/q/health/live").statusCode()).isEqualTo(200);
    assertThat(operator.get("/q/health/ready").statusCode()).isEqualTo(200);
  }
}
