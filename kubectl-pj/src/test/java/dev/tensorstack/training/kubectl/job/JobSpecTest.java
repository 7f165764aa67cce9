package dev.tensorstack.training.kubectl.job;

import static dev.tensorstack.training.kubectl.job.Samples.pytorchJob;
import static dev.tensorstack.training.kubectl.job.Samples.trainingJob;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class JobSpecTest {

  @Test
  void theMasterOfAPyTorchJobIsFirst() {
    assertThat(pytorchJob("", "{}").spec().types())
        .containsExactly(new ReplicaType("master", 1, null), new ReplicaType("worker", 2, null));
    assertThat(trainingJob("", "{}").spec().types())
        .containsExactly(new ReplicaType("worker", 2, "OnFailure"));
  }

  @Test
  void jobsOfOthersAreKnown() {
    assertThat(
            pytorchJob(",'runPolicy':{'managedBy':'kueue.x-k8s.io/multikueue'}", "{}")
                .spec()
                .foreignManager())
        .isEqualTo("kueue.x-k8s.io/multikueue");
    assertThat(
            pytorchJob(",'runPolicy':{'managedBy':'kubeflow.org/training-operator'}", "{}")
                .spec()
                .foreignManager())
        .isNull();
  }

  @Test
  void eachKindHasItsOwnSwitches() {
    assertThat(trainingJob(",'runMode':{'pause':{'enabled':true}}", "{}").spec().isPauseWanted())
        .isTrue();
    assertThat(pytorchJob(",'runPolicy':{'suspend':true}", "{}").spec().isPauseWanted()).isTrue();
    assertThat(trainingJob(",'runMode':{'debug':{'enabled':true}}", "{}").spec().isDebugWanted())
        .isTrue();
    assertThat(pytorchJob(",'runMode':{'debug':{'enabled':true}}", "{}").spec().isDebugWanted())
        .isFalse();
  }

  @Test
  void anAutoscalerIsKnownByItsMetrics() {
    assertThat(trainingJob(",'elastic':{'metrics':[{}]}", "{}").spec().hasAutoscaler()).isTrue();
    assertThat(pytorchJob(",'elasticPolicy':{'metrics':[{}]}", "{}").spec().hasAutoscaler())
        .isTrue();
    assertThat(trainingJob("", "{}").spec().hasAutoscaler()).isFalse();
  }
}
