package dev.tensorstack.training.status;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.api.v1beta1.PyTorchTrainingJobStatus;
import io.fabric8.kubernetes.client.utils.Serialization;
import org.junit.jupiter.api.Test;

class StatusChangeTest {

  private static PyTorchTrainingJobStatus status(String phase, String initialized, String running) {
    return Serialization.unmarshal(
        """
        phase: %s
        observedGeneration: 1
        conditions:
        - {type: Initialized, status: %s}
        - {type: Running, status: %s}
        - {type: ReplicaFailure, status: "False", reason: "-"}
        """
            .formatted(phase, initialized, running),
        PyTorchTrainingJobStatus.class);
  }

  private static final PyTorchTrainingJobStatus CREATING =
      status("Pending", "'False', reason: NotFinished", "'False', reason: NotFinished");
  private static final PyTorchTrainingJobStatus CREATED =
      status("Pending", "'True', reason: '-'", "'False', reason: NotFinished");
  private static final PyTorchTrainingJobStatus UNSCHEDULABLE =
      status("Pending", "'True', reason: '-'", "'False', reason: Unschedulable");
  private static final PyTorchTrainingJobStatus RUNNING =
      status("Running", "'True', reason: '-'", "'True', reason: '-'");

  @Test
  void thatPodsAreBeingCreatedAndAllAreThereIsProgress() {
    assertThat(StatusChange.isProgressOnly(null, CREATING)).isTrue();
    assertThat(StatusChange.isProgressOnly(null, CREATED)).isTrue();
    assertThat(StatusChange.isProgressOnly(CREATING, CREATED)).isTrue();
    assertThat(StatusChange.isProgressOnly(RUNNING, RUNNING)).isTrue();
  }

  @Test
  void whatAUserWaitsForOrMustKnowIsNoMereProgress() {
    assertThat(StatusChange.isProgressOnly(null, UNSCHEDULABLE)).isFalse();
    assertThat(StatusChange.isProgressOnly(null, RUNNING)).isFalse();
    assertThat(StatusChange.isProgressOnly(CREATED, UNSCHEDULABLE)).isFalse();
    assertThat(StatusChange.isProgressOnly(CREATED, RUNNING)).isFalse();
    assertThat(StatusChange.isProgressOnly(RUNNING, CREATED)).isFalse();
  }
}
