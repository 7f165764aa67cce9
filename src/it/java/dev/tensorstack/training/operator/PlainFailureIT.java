package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.fakekubelet.FakeKubelet;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobStatus;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Without torchrun, workers fail when the master is done, and the master's node may report later
 * than theirs.
 */
@OperatorTest(value = "plain", operator = false)
class PlainFailureIT {

  private final RestartScene scene;

  PlainFailureIT(ControlPlane controlPlane, Jobs jobs, FakeKubelet kubelet) {
    scene = new RestartScene(controlPlane, jobs, kubelet);
  }

  @Test
  void aMasterThatHasEndedWellIsNotFailedNorRunAgainBecauseItsWorkersAreSeenFirst() {
    try (OperatorProcess operator =
        scene.operator(
            scene.controlPlane.kubeconfig(), Map.of("OPERATOR_PLAIN_FAILURE_GRACE", "20s"))) {
      scene.jobs.create(scene.job("fails", "{backoffLimit: 0}", "worker 3 OnFailure"));
      scene.jobs.create(scene.job("again", "{restartScope: Job}", "worker 3 OnFailure"));
      for (String job : new String[] {"fails", "again"}) {
        scene.jobs.awaitPhase(job, "Running");
        scene.kubelet.finish(scene.namespace, scene.pod(job, "worker-1"), 1);
        scene.jobs.await(job, "the failure is told", PlainFailureIT::saysTheFailure);
        scene.kubelet.finish(scene.namespace, scene.pod(job, "worker-0"), 0);
        scene.jobs.awaitPhase(job, "Succeeded");
        PyTorchTrainingJobStatus status = scene.jobs.get(job).getStatus();
        assertThat(status.attempt()).isZero();
        assertThat(status.backoffCount()).isZero();
      }
      assertThat(operator.isAlive()).isTrue();
    }
  }

  private static boolean saysTheFailure(PyTorchTrainingJobStatus status) {
    return status.conditions().stream()
        .anyMatch(
            condition ->
                condition.type().equals("ReplicaFailure")
                    && condition.status().equals("True")
                    && condition.message().contains("worker-1"));
  }
}
