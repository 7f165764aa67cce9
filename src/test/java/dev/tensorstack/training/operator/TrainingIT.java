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

  private final ControlPlane controlPlane;
  private final String namespace;
  private final Jobs jobs;
  private final FakeKubelet kubelet;
  private final OperatorProcess operator;

  TrainingIT(ControlPlane controlPlane, KubernetesClient client) {
    this.controlPlane = controlPlane;
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
    System.out.println(controlPlane.kubectl("get", "pj", "-n", namespace, "-o", "wide").stdout());
    kubelet.finish(namespace, jobs.base("success") + "-worker-0", 0);
    jobs.awaitPhase("success", "Succeeded");
    System.out.println(controlPlane.kubectl("get", "pj", "-n", namespace, "-o", "yaml").stdout());
    System.out.println(controlPlane.kubectl("describe", "pj", "success", "-n", namespace).stdout());
    System.out.println(controlPlane.kubectl("get", "pods", "-n", namespace).stdout());
    assertThat(jobs.get("success").getStatus().backoffCount()).isZero();
  }
}
