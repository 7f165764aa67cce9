package dev.tensorstack.training.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.world.World;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** What becomes of a failure whose replica is scaled away. */
class FailureBeforeShrinkTest {

  private static String workers(int nodes, String policy) {
    return World.workers(4, policy)
        + "torchrunConfig: {enabled: true}\n"
        + "elastic: {enabled: true, minReplicas: 1, maxReplicas: 4, expectedReplicas: "
        + nodes
        + "}\n";
  }

  private static World running(String policy) {
    World world = new World(workers(4, policy));
    world.settle();
    world.allRun();
    world.settle();
    // Its ring is formed.
    world.pass(Duration.ofMinutes(1));
    return world;
  }

  @Test
  void aFailureThatStartsAllAnewCountsAlthoughItsReplicaIsScaledAwayWithinTheGrace() {
    World world = running("OnFailure");
    world.exit("worker", 3, 1, "ValueError: bad");
    world.settle();
    assertThat(world.status().attempt()).isZero();

    world.pass(Duration.ofSeconds(2));
    world.edit(workers(3, "OnFailure"));
    world.settle();
    assertThat(world.status().attempt()).as("the others may still end").isZero();
    assertThat(Objects.requireNonNull(world.status().conditions()).toString())
        .contains("to end by themselves");
    world.pass(Duration.ofSeconds(8));
    world.settle();

    assertThat(world.status().attempt()).isEqualTo(1);
    assertThat(world.status().backoffCount()).isEqualTo(1);
    assertThat(Objects.requireNonNull(world.status().lastFailure()).replica())
        .isEqualTo("worker-3");
    assertThat(world.status().replicas()).isEqualTo(3);
    assertThat(world.pods().keySet())
        .as("no pod for what is not wanted")
        .noneMatch(name -> name.contains("worker-3-r"));
  }

  @Test
  void whatScalingAddsWithinTheGraceComesWithTheNextAttempt() {
    World world = new World(workers(3, "OnFailure"));
    world.settle();
    world.allRun();
    world.settle();
    world.exit("worker", 2, 1, "ValueError: bad");
    world.settle();
    world.pass(Duration.ofSeconds(2));
    world.edit(workers(4, "OnFailure"));
    world.settle();
    assertThat(world.pods()).as("it would have to go").hasSize(3);

    world.pass(Duration.ofSeconds(8));
    world.settle();
    assertThat(world.status().attempt()).isEqualTo(1);
    world.pass(Duration.ofMinutes(5));
    world.settle();
    assertThat(world.pods().values()).filteredOn(pod -> pod.attempt() == 1).hasSize(4);
  }

  @Test
  void theFailureIsNotDecidedOnTwiceAndTheJobGoesOnWithFewerNodes() {
    World world = running("OnFailure");
    world.exit("worker", 3, 1, "ValueError: bad");
    world.edit(workers(2, "OnFailure"));
    world.settle();
    world.pass(Duration.ofSeconds(10));
    world.settle();
    world.allRun();
    world.settle();
    world.pass(Duration.ofMinutes(5));
    world.settle();

    assertThat(world.status().attempt()).isEqualTo(1);
    assertThat(world.status().backoffCount()).isEqualTo(1);
    assertThat(world.status().replicas()).isEqualTo(2);
    assertThat(world.status().phase()).isEqualTo("Running");
    assertThat(world.pods())
        .containsOnlyKeys(
            "mnist-12e8d-worker-0-r1", "mnist-12e8d-worker-1-r1", "mnist-12e8d-worker-3");
  }

  @Test
  void aFailureThatOnlyItsOwnReplicaWouldBeRestartedForGoesWithIt() {
    World world = running("OnFailure");
    world.exit("worker", 3, 137);
    world.edit(workers(3, "OnFailure"));
    world.settle();

    assertThat(world.status().attempt()).isZero();
    assertThat(world.status().backoffCount()).isZero();
    assertThat(world.status().replicas()).isEqualTo(3);
  }

  @Test
  void aWorkerThatTheJobGoesOnWithoutIsScaledAwayAtOnce() {
    World world = running("Never");
    world.exit("worker", 3, 137);
    world.settle();
    world.edit(workers(3, "Never"));
    world.settle();

    assertThat(world.status().phase()).isEqualTo("Running");
    assertThat(world.status().replicas()).isEqualTo(3);
  }

  @Test
  void theNewAttemptBeginsWithoutWhatIsNotWanted() {
    World world = running("OnFailure");
    world.exit("worker", 3, 1, "ValueError: bad");
    world.edit(workers(3, "OnFailure"));
    world.step();
    for (int index = 0; index < 3; index++) {
      world.exit("worker", index, 1, "Connection closed by peer");
    }
    Plan plan = world.step();

    assertThat(plan.ledger().counts().attempt()).isEqualTo(1);
    assertThat(plan.actions())
        .filteredOn(PlannedAction.CreatePod.class::isInstance)
        .as("three pods, and none for worker-3")
        .hasSize(3);
  }
}
