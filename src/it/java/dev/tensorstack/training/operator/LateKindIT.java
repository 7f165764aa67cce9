package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.controlplane.ControlPlane;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** A kind whose CRD is missing. It has a control plane of its own, which begins without CRDs. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LateKindIT {

  private static final String CRDS = "src/main/kubernetes/";

  private final ControlPlane controlPlane = ControlPlane.builder().scheduler(false).start();

  @AfterAll
  void stop() {
    controlPlane.close();
  }

  private void install(String crd) {
    controlPlane.kubectl("apply", "--server-side", "-f", CRDS + crd + ".yml").orThrow();
    controlPlane.awaitCrd(crd.substring(0, crd.lastIndexOf('-')));
  }

  @Test
  void aMissingCrdHoldsUpNoOtherKindAndItsJobsAreWorkedOnOnceItIsThere() {
    install("pytorchtrainingjobs.batch.tensorstack.dev-v1");
    PyTorchJobScene scene =
        new PyTorchJobScene(controlPlane, controlPlane.createNamespace("late-kind"));
    Jobs jobs = new Jobs(controlPlane.client(), scene.namespace);
    try (OperatorProcess operator = OperatorProcess.start(controlPlane.kubeconfig(), Map.of())) {
      jobs.create(Jobs.simple("ours", 1, "Never"));
      assertThat(jobs.awaitPods("ours", 1)).hasSize(1);

      install("pytorchjobs.kubeflow.org-v1");
      scene.apply(PyTorchJobScene.manifest("theirs", "OnFailure", 1, "{}"));
      scene.awaitThat("its pods", () -> scene.pods("theirs").size() == 2);
      scene.awaitState("theirs", "Created");
      assertThat(operator.isAlive()).isTrue();
    }
  }
}
