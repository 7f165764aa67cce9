package dev.tensorstack.training.tryout;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJob;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.Serialization;
import org.junit.jupiter.api.Test;

class FollowedPyTorchJobTest {

  private final FollowedPyTorchJob kind = new FollowedPyTorchJob();

  private static PyTorchJob job(String status) {
    return Serialization.unmarshal("metadata: {name: mnist}\n" + status, PyTorchJob.class);
  }

  @Test
  void aJobWithoutAStatusIsCreatedAndGoesOn() {
    PyTorchJob job = job("");

    assertThat(kind.state(job)).isEqualTo("created");
    assertThat(kind.ended(job)).isFalse();
  }

  @Test
  void theStateIsTheLastConditionWithThePodsAndTheCountedRestarts() {
    PyTorchJob job =
        job(
            """
            status:
              conditions:
              - {type: Created, status: "True"}
              - {type: Running, status: "True"}
              replicaStatuses: {Master: {active: 1}, Worker: {}}
              ledger: {backoff: 2}
            """);

    assertThat(kind.state(job)).isEqualTo("Running, Master active 1, Worker active 0, restarts 2");
    assertThat(kind.ended(job)).isFalse();
  }

  @Test
  void aJobHasEndedWhenAConditionThatSaysSoIsTrue() {
    PyTorchJob well = job("status: {conditions: [{type: Succeeded, status: \"True\"}]}");
    PyTorchJob badly =
        job("status: {conditions: [{type: Failed, status: \"True\", message: exit code 3}]}");
    PyTorchJob not = job("status: {conditions: [{type: Succeeded, status: \"False\"}]}");

    assertThat(kind.ended(well)).isTrue();
    assertThat(kind.succeeded(well)).isTrue();
    assertThat(kind.ended(badly)).isTrue();
    assertThat(kind.succeeded(badly)).isFalse();
    assertThat(kind.failure(badly)).isEqualTo("exit code 3");
    assertThat(kind.ended(not)).isFalse();
  }

  @Test
  void theLogIsThatOfTheTrainingContainer() {
    Pod pod =
        Serialization.unmarshal(
            """
            kind: Pod
            apiVersion: v1
            metadata:
              labels:
                training.kubeflow.org/replica-type: worker
                training.kubeflow.org/replica-index: "3"
            spec: {containers: [{name: proxy}, {name: pytorch}]}
            """,
            Pod.class);

    assertThat(kind.replica(pod)).isEqualTo("worker-3");
    assertThat(kind.container(pod)).isEqualTo("pytorch");
  }
}
