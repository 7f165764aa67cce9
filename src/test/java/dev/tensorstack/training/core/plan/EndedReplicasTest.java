package dev.tensorstack.training.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.kind.trainingjob.v1beta1.ReplicaStatus;
import dev.tensorstack.training.world.World;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What has ended stays ended, although somebody removes its pod. */
class EndedReplicasTest {

  private static final String ELASTIC =
      """
      torchrunConfig: {enabled: true}
      elastic: {enabled: true, minReplicas: 1, maxReplicas: 3}
      """;

  private static World running(String spec) {
    World world = new World(spec);
    world.settle();
    world.allRun();
    world.settle();
    return world;
  }

  private static ReplicaStatus replica(World world, int index) {
    return Objects.requireNonNull(
        Objects.requireNonNull(world.status().tasks()).get(0).replicas().get(index));
  }

  private static void assertNothingHappened(World world) {
    assertThat(world.status().attempt()).isZero();
    assertThat(world.status().disruptionCount()).isZero();
    assertThat(world.status().backoffCount()).isZero();
    assertThat(world.status().completionTime()).isNull();
  }

  @ParameterizedTest
  @CsvSource({
    "Never, ''",
    "OnFailure, ''",
    "ExitCode, ''",
    "OnFailure, Replica",
    "OnFailure, Job",
    "Never, Replica"
  })
  void aWorkerThatIsDoneStaysDoneWhenItsPodIsRemoved(String policy, String scope) {
    World world =
        running(
            World.workers(3, policy)
                + (scope.isEmpty() ? "" : "runPolicy: {restartScope: " + scope + "}\n"));
    world.exit("worker", 1, 0);
    world.settle();
    world.vanish("mnist-12e8d-worker-1");
    world.pass(Duration.ofMinutes(10));
    world.settle();

    assertNothingHappened(world);
    assertThat(world.status().phase()).isEqualTo("Running");
    assertThat(replica(world, 1).phase()).isEqualTo("Succeeded");
    assertThat(world.pods()).doesNotContainKey("mnist-12e8d-worker-1-r1");
  }

  @Test
  void aWorkerWhosePodIsBeingDeletedInTheSecondOfItsEndStaysDone() {
    World world = running(World.workers(3, "OnFailure"));
    world.exit("worker", 1, 0);
    world.settle();
    ObservedPod ended = world.pod("mnist-12e8d-worker-1");
    world.see(World.deleted(ended, world.now()));
    world.settle();

    assertNothingHappened(world);
    assertThat(replica(world, 1).phase()).isEqualTo("Succeeded");
    world.vanish("mnist-12e8d-worker-1");
    world.settle();
    assertNothingHappened(world);
  }

  @ParameterizedTest
  @ValueSource(strings = {"Never", "ExitCode", "OnFailure"})
  void aFailedWorkerThatAnElasticJobTolerates(String policy) {
    World world =
        running(
            World.workers(3, policy)
                + ELASTIC
                + "runPolicy: {backoffLimit: 0, restartScope: Replica}\n");
    world.exit("worker", 2, 42);
    world.settle();
    world.pass(Duration.ofSeconds(10));
    world.settle();
    var failure = world.status().lastFailure();
    assertThat(Objects.requireNonNull(failure).exitCode()).isEqualTo(42);
    world.vanish("mnist-12e8d-worker-2");
    world.pass(Duration.ofMinutes(1));
    world.settle();

    assertNothingHappened(world);
    assertThat(world.status().lastFailure()).isEqualTo(failure);
    assertThat(replica(world, 2).phase()).isEqualTo("Failed");
    assertThat(world.pods()).doesNotContainKey("mnist-12e8d-worker-2-r1");
  }

  @Test
  void anAttemptStartsTheDoneAnewAlthoughTheirPodsAreGone() {
    World world = running(World.workers(3, "OnFailure"));
    world.exit("worker", 1, 0);
    world.settle();
    world.vanish("mnist-12e8d-worker-1");
    world.settle();
    world.exit("worker", 2, 1);
    world.settle();

    assertThat(world.status().attempt()).isEqualTo(1);
    assertThat(world.status().backoffCount()).isEqualTo(1);
    assertThat(world.pods()).containsKey("mnist-12e8d-worker-1-r1");
  }

  @Test
  void alwaysRunsAgainWhatIsDoneAlthoughItsPodIsGone() {
    World world = running(World.workers(2, "Always") + "runPolicy: {restartScope: Replica}\n");
    world.exit("worker", 1, 0);
    world.settle();
    assertThat(world.pods()).containsKey("mnist-12e8d-worker-1-r1");
    assertThat(world.status().backoffCount()).isZero();
  }

  @Test
  void aPodThatVanishesWhileItRunsIsADisruption() {
    World world = running(World.workers(2, "OnFailure"));
    world.vanish("mnist-12e8d-worker-1");
    world.settle();
    assertThat(world.status().disruptionCount()).isEqualTo(1);
  }
}
