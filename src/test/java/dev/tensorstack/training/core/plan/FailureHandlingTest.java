package dev.tensorstack.training.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.world.World;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Failures that pods alone do not explain: refusals by nodes, and pods that are gone. */
class FailureHandlingTest {

  private static final String ELASTIC =
      """
      torchrunConfig: {enabled: true}
      elastic: {enabled: true, minReplicas: 1, maxReplicas: 3}
      """;

  /** The kubelet did not take it: no container ever started. */
  private static ObservedPod refused(ObservedPod pod) {
    return new ObservedPod(
        pod.name(),
        pod.uid(),
        pod.replica(),
        pod.earlierPods(),
        pod.attempt(),
        pod.mode(),
        ObservedPod.Phase.FAILED,
        false,
        null,
        "n1",
        null,
        pod.createdAt(),
        "UnexpectedAdmissionError",
        null,
        null,
        false,
        null,
        null,
        List.of(),
        null,
        null,
        null,
        Map.of());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "runMode: {debug: {enabled: true}}\n"})
  void aNodeThatRefusesAPodAgainAndAgainIsAskedLessAndLessOften(String mode) {
    World world = new World(World.workers(1, "OnFailure") + mode);
    world.settle();
    for (int disruption = 1; disruption <= 3; disruption++) {
      world.see(refused(newest(world)));
      world.settle();
      assertThat(world.pods()).as("the first three at once").hasSize(disruption + 1);
    }
    for (int seconds : new int[] {1, 2, 4, 8, 16, 30, 30}) {
      int pods = world.pods().size();
      world.see(refused(newest(world)));
      world.settle();
      assertThat(world.plan().requeueAt()).isEqualTo(world.now().plusSeconds(seconds));
      world.pass(Duration.ofSeconds(seconds));
      world.settle();
      assertThat(world.pods()).hasSize(Math.min(pods + 1, 11));
    }
    assertThat(world.status().backoffCount()).isZero();
  }

  @Test
  void disruptionsOfLongAgoDoNotDelayAReplacement() {
    World world = new World(World.workers(1, "OnFailure"));
    world.settle();
    for (int i = 0; i < 10; i++) {
      world.see(refused(newest(world)));
      world.settle();
      assertThat(newest(world).ended()).as("replacement %d", i).isFalse();
      world.pass(Duration.ofSeconds(101));
    }
    assertThat(world.status().disruptionCount()).isEqualTo(10);
  }

  private static ObservedPod newest(World world) {
    return world.pods().values().stream()
        .max(java.util.Comparator.comparing(ObservedPod::earlierPods))
        .orElseThrow();
  }

  @Test
  void aClockThatIsPutBackALittleDoesNotMakeTheLongestDelayVoid() {
    World world = new World(World.workers(1, "OnFailure") + "runPolicy: {backoffLimit: 9}\n");
    world.settle();
    for (int i = 0; i < 7; i++) {
      world.pass(Duration.ofMinutes(5));
      world.settle();
      world.exit("worker", 0, 1);
      world.settle();
    }
    assertThat(world.plan().requeueAt()).isEqualTo(world.now().plus(Duration.ofMinutes(5)));
    world.pass(Duration.ofSeconds(-10));
    assertThat(world.plan().actions()).isEmpty();
    world.pass(Duration.ofDays(-1));
    assertThat(world.plan().actions()).as("a moment nobody decided on").hasSize(1);
  }

  @Test
  void whatAnElasticJobGoesOnWithoutIsRecordedOnceAndNotAtEachLook() {
    World world = new World(World.workers(3, "Never") + ELASTIC);
    world.settle();
    world.allRun();
    world.settle();
    world.vanish("mnist-12e8d-worker-1");
    world.settle();
    assertThat(Objects.requireNonNull(world.status().lastFailure()).replica())
        .isEqualTo("worker-1");
    world.exit("worker", 2, 1);
    world.settle();

    world.pass(Duration.ofHours(1));
    assertThat(world.report(world.observe(), world.plan())).isEqualTo(world.status());
  }
}
