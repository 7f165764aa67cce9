package dev.tensorstack.training.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.kind.trainingjob.TrainingJobLabels;
import dev.tensorstack.training.world.FreshJob;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.util.List;
import org.junit.jupiter.api.Test;

class PodReadingsTest {

  private final TrainingJob job = FreshJob.named("ns", "job", "job-uid");
  private final PodReadings readings = new PodReadings();

  private Pod pod(int index, String uid, String phase) {
    return new PodBuilder()
        .withNewMetadata()
        .withName(job.names().pod("worker", index, 0))
        .withUid(uid)
        .addToLabels(TrainingJobLabels.REPLICA_TYPE, "worker")
        .addToLabels(TrainingJobLabels.REPLICA_INDEX, String.valueOf(index))
        .endMetadata()
        .withNewStatus()
        .withPhase(phase)
        .endStatus()
        .build();
  }

  private List<ObservedPod> read(Pod... pods) {
    return readings.read(List.of(pods), job);
  }

  @Test
  void aPodThatHasNotChangedIsNotReadAgain() {
    Pod pod = pod(0, "a", "Pending");
    ObservedPod first = read(pod).get(0);
    assertThat(read(pod)).singleElement().isSameAs(first);
  }

  @Test
  void aChangedPodIsReadAgain() {
    read(pod(0, "a", "Pending"));
    assertThat(read(pod(0, "a", "Running")))
        .extracting(ObservedPod::phase)
        .containsExactly(ObservedPod.Phase.RUNNING);
  }

  @Test
  void aPodThatIsGoneIsForgotten() {
    Pod first = pod(0, "a", "Pending");
    read(first, pod(1, "b", "Pending"));
    assertThat(read(first)).extracting(ObservedPod::uid).containsExactly("a");
  }

  @Test
  void aPodWithoutTheLabelsOfAReplicaIsNone() {
    Pod stripped =
        new PodBuilder(pod(0, "a", "Running"))
            .editMetadata()
            .withLabels(null)
            .endMetadata()
            .build();
    assertThat(read(stripped)).isEmpty();
    assertThat(read(stripped, pod(1, "b", "Running")))
        .extracting(ObservedPod::uid)
        .containsExactly("b");
  }
}
