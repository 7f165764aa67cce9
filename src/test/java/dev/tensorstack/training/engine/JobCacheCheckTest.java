package dev.tensorstack.training.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJob;
import dev.tensorstack.training.world.StoredJob;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JobCacheCheckTest {

  private static final String CACHED =
      """
      apiVersion: batch.tensorstack.dev/v1beta1
      kind: PyTorchTrainingJob
      metadata: {name: a, uid: one, resourceVersion: "7", generation: 2, labels: {queue: red}}
      spec: {replicaSpecs: []}
      status: {phase: Paused}
      """;

  private static final JobCacheCheck<PyTorchTrainingJob> LIVE =
      new JobCacheCheck<>(StoredJob.KIND, new KubernetesClientBuilder().build());

  private static PyTorchTrainingJob job(String yaml) {
    return Serialization.unmarshal(yaml, PyTorchTrainingJob.class);
  }

  @Test
  void aJobWithAnotherVersionThatSaysTheSameIsFresh() {
    assertThat(LIVE.saysTheSame(job(CACHED), job(CACHED))).isTrue();
    String annotated =
        CACHED.replace("\"7\"", "\"8\"").replace("labels", "annotations: {by: hand}, labels");
    assertThat(LIVE.saysTheSame(job(CACHED), job(annotated))).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "uid: one>uid: two",
        "generation: 2>generation: 3",
        "phase: Paused>phase: Resuming",
        "queue: red>queue: blue",
        "name: a,>name: a, deletionTimestamp: \"2026-01-01T00:00:00Z\","
      })
  void aJobThatHasChangedIsNot(String change) {
    String[] words = change.split(">");
    String live = CACHED.replace("\"7\"", "\"8\"").replace(words[0], words[1]);
    assertThat(live).contains(words[1]);
    assertThat(LIVE.saysTheSame(job(CACHED), job(live))).isFalse();
  }

  @Test
  void aJobThatIsGoneIsNot() {
    assertThat(LIVE.saysTheSame(job(CACHED), null)).isFalse();
  }
}
