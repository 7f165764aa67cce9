package dev.tensorstack.training.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.core.observe.PodReader;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.kind.trainingjob.TrainingJobLabels;
import dev.tensorstack.training.world.FreshJob;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class UnpublishingTest {

  private static final String JOB = "422e8cc7-163f-4d49-9fb8-d059e490a09b";
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  private final Unpublishing memory = new Unpublishing();

  private static Pod pod(String label) {
    return new PodBuilder()
        .withNewMetadata()
        .withName("mnist-12e8d-worker-0")
        .withUid("uid")
        .withCreationTimestamp(NOW.toString())
        .withLabels(
            Map.of(
                TrainingJobLabels.JOB_UID,
                label,
                TrainingJobLabels.REPLICA_TYPE,
                "worker",
                TrainingJobLabels.REPLICA_INDEX,
                "0"))
        .endMetadata()
        .withNewStatus()
        .withPhase("Running")
        .endStatus()
        .build();
  }

  private Map<String, Instant> published(Pod pod, @Nullable Instant lost) {
    TrainingJob job = FreshJob.named("ns", "mnist", JOB);
    ObservedPod observed = PodReader.read(pod, job).orElseThrow().lost(lost);
    return memory.published(job, List.of(pod), List.of(observed));
  }

  @Test
  void onlyPodsOfLostNodesCountAndOnlyUntilTheirLabelIsAnother() {
    assertThat(published(pod(JOB), null)).isEmpty();
    assertThat(published(pod(JOB), NOW)).containsOnlyKeys("uid");
    assertThat(published(pod(TrainingJobLabels.givenUp(JOB)), NOW)).isEmpty();
    assertThat(TrainingJobLabels.givenUp(JOB)).hasSizeLessThanOrEqualTo(63);
  }

  @Test
  void anAnswerIsBelievedBeforeTheWatchShowsIt() {
    assertThat(memory.begin("uid")).isTrue();
    assertThat(memory.begin("uid")).as("under way").isFalse();
    memory.done("uid");
    assertThat(published(pod(JOB), NOW)).isEmpty();
    assertThat(memory.begin("uid")).isFalse();
  }

  @Test
  void afterSomeRefusalsItIsNotTriedAnyMore() {
    for (int second : new int[] {1, 2, 4}) {
      assertThat(memory.begin("uid")).isTrue();
      assertThat(memory.refused("uid", NOW)).isFalse();
      assertThat(published(pod(JOB), NOW)).containsEntry("uid", NOW.plusSeconds(second));
    }
    assertThat(memory.begin("uid")).isTrue();
    assertThat(memory.refused("uid", NOW)).isTrue();
    assertThat(published(pod(JOB), NOW)).isEmpty();
    assertThat(memory.begin("uid")).isFalse();
  }

  @Test
  void aNodeThatComesBackAndIsLostAgainBeginsAnew() {
    memory.begin("uid");
    memory.done("uid");
    assertThat(published(pod(JOB), null)).isEmpty();
    assertThat(published(pod(JOB), NOW)).containsOnlyKeys("uid");
  }
}
