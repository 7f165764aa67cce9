package dev.tensorstack.training.kind.pytorchjob;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.naming.JobLabels.PodRole;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PyTorchJobLabelsTest {

  private final PyTorchJobLabels labels = new PyTorchJobLabels("mnist");

  @Test
  void podsHaveTheLabelsByWhichClientsOfKubeflowsOperatorFindThem() {
    assertThat(labels.ofPod(new PodRole("worker", 3, 2, null, 1), false))
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(
                "training.kubeflow.org/operator-name", "pytorchjob-controller",
                "training.kubeflow.org/job-name", "mnist",
                "training.kubeflow.org/replica-type", "worker",
                "training.kubeflow.org/replica-index", "3",
                "batch.tensorstack.dev/attempt", "2",
                "batch.tensorstack.dev/earlier-pods", "1"));
    assertThat(labels.ofPod(new PodRole("master", 0, 0, null, 0), true))
        .containsEntry("training.kubeflow.org/job-role", "master");
  }

  @Test
  void whatAPodIsForIsReadBackAlsoFromPodsOfKubeflowsOperator() {
    PodRole role = new PodRole("worker", 3, 2, null, 1);
    assertThat(labels.roleOf(labels.ofPod(role, false))).isEqualTo(role);

    Map<String, String> theirs = new HashMap<>(labels.ofReplica("worker", 3));
    assertThat(labels.roleOf(theirs)).isEqualTo(new PodRole("worker", 3, 0, null, 0));
    theirs.put("training.kubeflow.org/replica-index", "three");
    assertThat(labels.roleOf(theirs)).isNull();
    assertThat(labels.roleOf(Map.of())).isNull();
  }

  @Test
  void theServiceOfAReplicaSelectsItsPodsAndNotOneThatWasGivenUp() {
    Map<String, String> pod =
        new HashMap<>(labels.ofPod(new PodRole("worker", 3, 2, null, 1), false));
    assertThat(pod).containsAllEntriesOf(labels.ofReplica("worker", 3));
    pod.putAll(labels.ofUnpublished());
    assertThat(pod.entrySet().containsAll(labels.ofReplica("worker", 3).entrySet())).isFalse();
    assertThat(pod.get("training.kubeflow.org/operator-name"))
        .as("watched still")
        .isEqualTo("pytorchjob-controller-given-up");
    assertThat(PyTorchJobLabels.WATCHED)
        .contains("pytorchjob-controller,pytorchjob-controller-given-up");
  }

  @Test
  void aReplacementHasTheNameOfThePodBefore() {
    PyTorchJobNames names = new PyTorchJobNames("mnist", "uid");
    assertThat(names.pod("worker", 1, 0)).isEqualTo("mnist-worker-1");
    assertThat(names.pod("worker", 1, 5)).isEqualTo("mnist-worker-1");
    assertThat(names.replicaService("master", 0)).isEqualTo("mnist-master-0");
  }
}
