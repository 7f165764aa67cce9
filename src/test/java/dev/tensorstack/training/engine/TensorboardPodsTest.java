package dev.tensorstack.training.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tensorstack.training.core.naming.ObjectKind;
import dev.tensorstack.training.core.observe.TensorboardTrouble;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.world.FreshJob;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TensorboardPodsTest {

  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
  private static final TrainingJob JOB = FreshJob.named("ns", "mnist", "uid");
  private static final TensorboardTrouble NO_CLAIM =
      new TensorboardTrouble("Unschedulable", "persistentvolumeclaim \"logs\" not found");

  private final Times clock = new Times();
  private final List<ResourceID> told = new CopyOnWriteArrayList<>();
  private final List<String> asked = new CopyOnWriteArrayList<>();
  private final TensorboardPods.Memory memory = new TensorboardPods.Memory();
  private volatile @Nullable KubernetesClientException refusal;
  private volatile List<Pod> pods =
      List.of(
          Serialization.unmarshal(
              """
              metadata: {name: a}
              status: {conditions: [{type: PodScheduled, status: 'False', reason: Unschedulable, message: 'persistentvolumeclaim "logs" not found'}]}
              """,
              Pod.class));

  private final TensorboardPods tensorboards =
      new TensorboardPods(
          (namespace, instance) -> {
            asked.add(namespace + " " + instance);
            if (refusal != null) {
              throw refusal;
            }
            return pods;
          },
          clock,
          told::add);

  /** A clock that is set. */
  private static final class Times extends Clock {
    private volatile Instant now = START;

    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      return this;
    }

    @Override
    public Instant instant() {
      return now;
    }
  }

  private static GenericKubernetesResource deployment(int generation, int replicas, int ready) {
    GenericKubernetesResource deployment = new GenericKubernetesResource();
    deployment.setKind(ObjectKind.DEPLOYMENT.kind());
    deployment.setMetadata(
        new ObjectMetaBuilder()
            .withUid("d1")
            .withGeneration((long) generation)
            .withCreationTimestamp(START.toString())
            .build());
    deployment.setAdditionalProperty("spec", Map.of("replicas", replicas));
    deployment.setAdditionalProperty("status", Map.of("readyReplicas", ready));
    return deployment;
  }

  private @Nullable TensorboardTrouble look(@Nullable GenericKubernetesResource deployment) {
    return tensorboards.of(JOB, deployment, memory);
  }

  private void pass(Duration time) {
    clock.now = clock.now.plus(time);
  }

  private void awaitAsked(int times) {
    await().until(() -> asked.size() >= times);
  }

  @Test
  void aPodThatDoesNotStartIsAskedForAfterAWhileAndWhatItSaysIsKnownThen() {
    assertThat(look(deployment(1, 1, 0))).isNull();
    assertThat(asked).as("it may just be starting").isEmpty();

    pass(TensorboardPods.PATIENCE);
    assertThat(look(deployment(1, 1, 0))).isNull();
    await("the job is looked at again").until(() -> !told.isEmpty());
    assertThat(told).containsOnly(new ResourceID("mnist", "ns"));
    assertThat(asked).containsExactly("ns " + JOB.names().instance());
    assertThat(look(deployment(1, 1, 0))).isEqualTo(NO_CLAIM);
    assertThat(asked).as("it is not asked at each look").hasSize(1);
  }

  @Test
  void itIsAskedForLessAndLessOftenAndAtLeastEveryMinute() {
    pass(Duration.ofHours(1));
    for (int pause : List.of(0, 10, 20, 40, 60, 60)) {
      int before = asked.size();
      pass(Duration.ofSeconds(pause).minusMillis(1));
      if (pause > 0) {
        look(deployment(1, 1, 0));
        assertThat(asked).hasSize(before);
      }
      pass(Duration.ofMillis(1));
      await()
          .untilAsserted(
              () -> {
                look(deployment(1, 1, 0));
                assertThat(asked).hasSize(before + 1);
              });
    }
  }

  @Test
  void oneThatIsReadyOrWantsNoPodIsNotAskedForAndHasNoTrouble() {
    pass(Duration.ofHours(1));
    look(deployment(1, 1, 0));
    await().until(() -> look(deployment(1, 1, 0)) != null);
    int before = asked.size();

    assertThat(look(deployment(1, 1, 1))).isNull();
    assertThat(look(deployment(1, 0, 0))).isNull();
    assertThat(look(null)).isNull();
    assertThat(asked).hasSize(before);
  }

  @Test
  void anotherSpecMeansAnotherPod() {
    pass(Duration.ofHours(1));
    look(deployment(1, 1, 0));
    await().until(() -> look(deployment(1, 1, 0)) != null);

    pods = List.of();
    assertThat(look(deployment(2, 1, 0))).isNull();
    awaitAsked(2);
  }

  @Test
  void aRefusalLeavesWhatIsKnownAsItIs() {
    pass(Duration.ofHours(1));
    look(deployment(1, 1, 0));
    await().until(() -> look(deployment(1, 1, 0)) != null);

    refusal = new KubernetesClientException("forbidden", 403, new Status());
    pass(Duration.ofHours(1));
    look(deployment(1, 1, 0));
    awaitAsked(2);
    assertThat(look(deployment(1, 1, 0))).isEqualTo(NO_CLAIM);
  }
}
