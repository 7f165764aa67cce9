package dev.tensorstack.training.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.world.World;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Pods on lost nodes, and on nodes that an administrator has taken out of service. */
class LostNodesTest {

  /** How {@code NodeReader} says that a node is out of service. */
  private static final Instant OUT_OF_SERVICE = Instant.EPOCH;

  private static World running(String spec) {
    World world = new World(spec);
    world.settle();
    world.allRun();
    world.settle();
    world.pass(Duration.ofMinutes(5));
    world.settle();
    return world;
  }

  @Test
  void anOutOfServiceNodeDoesNotHoldUpTheDecisionOnAFailure() {
    World world = running(World.workers(3, "OnFailure"));
    world.exit("worker", 1, 1);
    world.see(world.pod("mnist-12e8d-worker-2").lost(OUT_OF_SERVICE));
    world.settle();
    assertThat(world.status().attempt()).isEqualTo(1);
  }

  @Test
  void aToleratedFailureOfLongAgoDoesNotHoldUpTheReplacementOfALostPod() {
    World world =
        running(
            """
            torchrunConfig: {enabled: true}
            elastic: {enabled: true, minReplicas: 1, maxReplicas: 4}
            replicaSpecs:
            - type: master
              restartPolicy: OnFailure
              template: {spec: {containers: [{name: a, image: i, command: [python, t.py]}]}}
            - type: worker
              replicas: 3
              restartPolicy: ExitCode
              template: {spec: {containers: [{name: a, image: i, command: [python, t.py]}]}}
            """);
    world.exit("worker", 0, 1);
    world.settle();
    world.pass(Duration.ofHours(1));
    world.settle();
    world.see(world.pod("mnist-12e8d-worker-1").lost(OUT_OF_SERVICE));
    world.settle();
    assertThat(world.status().disruptionCount()).isEqualTo(1);
    assertThat(world.pods()).containsKey("mnist-12e8d-worker-1-r1");
  }

  @Test
  void aReplacementThatLandsOnTheLostNodeHasAGraceOfItsOwn() {
    World world = running(World.workers(1, "OnFailure"));
    Instant lost = world.now();
    world.see(world.pod("mnist-12e8d-worker-0").lost(lost));
    world.settle();
    world.pass(Duration.ofSeconds(30));
    world.settle();
    ObservedPod replacement = world.pod("mnist-12e8d-worker-0-r1").lost(lost);
    world.see(replacement);
    world.settle();

    assertThat(world.pods()).doesNotContainKey("mnist-12e8d-worker-0-r2");
    assertThat(world.plan().requeueAt()).isEqualTo(world.now().plusSeconds(30));
    world.pass(Duration.ofSeconds(30));
    world.settle();
    assertThat(world.pods()).containsKey("mnist-12e8d-worker-0-r2");
  }

  @Test
  void aReplacementOnAnOutOfServiceNodeHasAGraceOfItsOwn() {
    World world = running(World.workers(1, "OnFailure"));
    world.see(world.pod("mnist-12e8d-worker-0").lost(OUT_OF_SERVICE));
    world.settle();
    world.see(world.pod("mnist-12e8d-worker-0-r1").lost(OUT_OF_SERVICE));
    world.settle();
    assertThat(world.pods()).doesNotContainKey("mnist-12e8d-worker-0-r2");
    assertThat(world.plan().requeueAt()).isEqualTo(world.now().plusSeconds(30));
  }
}
