package dev.tensorstack.training.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.world.World;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/**
 * No running node leaves a ring that is being formed, and every change is carried out in the end.
 */
class ScalingPauseTest {

  private static String spec(int nodes, int a, int b) {
    return """
        torchrunConfig: {enabled: true}
        elastic: {enabled: true, minReplicas: 1, maxReplicas: 8, expectedReplicas: %d}
        replicaSpecs:
        - type: a
          scalingWeight: %d
          restartPolicy: OnFailure
          template: {spec: {containers: [{name: a, image: i, command: [python, t.py]}]}}
        - type: b
          scalingWeight: %d
          restartPolicy: OnFailure
          template: {spec: {containers: [{name: a, image: i, command: [python, t.py]}]}}
        """
        .formatted(nodes, a, b);
  }

  private static List<String> names(World world) {
    return world.pods().values().stream()
        .filter(ObservedPod::live)
        .map(pod -> pod.replica().toString())
        .toList();
  }

  private static World running(String spec) {
    World world = new World(spec);
    world.settle();
    world.allRun();
    world.settle();
    return world;
  }

  @Test
  void otherWeightsWithTheSameTotalAreCarriedOutWithoutAnotherEvent() {
    World world = running(spec(4, 1, 1));
    world.pass(Duration.ofSeconds(5));
    world.edit(spec(4, 3, 1));
    world.settle();
    assertThat(names(world)).containsExactly("a-0", "a-1", "b-0", "b-1");
    assertThat(world.plan().requeueAt()).isEqualTo(World.START.plusSeconds(30));
    assertThat(message(world)).contains("1 leaves");

    world.pass(Duration.ofSeconds(25));
    world.settle();
    assertThat(names(world)).containsExactly("a-0", "a-1", "a-2", "b-0");
  }

  private static String message(World world) {
    return Objects.requireNonNull(world.status().conditions()).stream()
        .filter(condition -> "Running".equals(condition.type()))
        .map(condition -> Objects.requireNonNull(condition.message()))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void readinessThatFlapsDoesNotHoldUpAShrink() {
    World world = running(spec(4, 1, 1));
    world.edit(spec(2, 1, 1));
    world.settle();
    for (int i = 0; i < 6; i++) {
      world.pass(Duration.ofSeconds(5));
      world.see(World.ready(world.pod("mnist-12e8d-a-0"), i % 2 == 0 ? world.now() : null));
      world.settle();
    }
    assertThat(names(world)).containsExactly("a-0", "b-0");
  }

  @Test
  void whatDoesNotRunLeavesAtOnce() {
    World world = new World(spec(4, 1, 1));
    world.settle();
    world.run("a", 0);
    world.run("b", 1);
    world.settle();
    world.edit(spec(2, 1, 1));
    world.settle();
    assertThat(names(world)).containsExactly("a-0", "b-1");
  }

  /** The deletion of the pod before, which was given up with its node, was refused. */
  @Test
  void aReplacementThatDoesNotRunLeavesAtOnceThoughThePodBeforeItIsThereStill() {
    World world = running(spec(4, 1, 1));
    ObservedPod lost = world.pod("mnist-12e8d-a-1").lost(world.now());
    world.see(lost);
    world.pass(Duration.ofSeconds(30));
    world.restarted("b", 1);
    world.settle();
    world.see(lost);
    assertThat(world.pods()).containsKey("mnist-12e8d-a-1-r1");

    world.edit(spec(3, 1, 2));
    world.step();
    assertThat(world.status().replicas()).isEqualTo(3);
    assertThat(world.pods()).doesNotContainKey("mnist-12e8d-a-1-r1");
    assertThat(names(world)).contains("b-0", "b-1");
  }

  @Test
  void nodesThatComeAndGoAllTheTimeDoNotHoldUpAShrinkForEver() {
    World world = running(spec(6, 1, 1));
    world.edit(spec(4, 1, 1));
    world.settle();
    assertThat(names(world)).hasSize(6);
    for (int i = 0; i < 12; i++) {
      world.pass(Duration.ofSeconds(10));
      world.restarted("a", 1);
      world.settle();
    }
    assertThat(names(world)).hasSize(4);
  }

  /** Its creation was refused, and the operator was killed before the first status. */
  @Test
  void theMasterComesAtOnceThoughAnotherNodeRunsThatIsNotWanted() {
    World world = running(spec(3, 1, 1));
    world.vanish("mnist-12e8d-a-0");
    world.vanish("mnist-12e8d-b-0");
    world.store("{}");
    world.edit(spec(1, 1, 1));
    world.settle();
    assertThat(names(world)).containsExactly("a-0");
  }

  /** The API server's own controller says so of the pod too, some seconds later. */
  @Test
  void ofTwoThatRunTheOneOnALostNodeLeaves() {
    World world = running(spec(4, 1, 1));
    world.pass(Duration.ofMinutes(1));
    world.see(World.ready(world.pod("mnist-12e8d-b-1"), world.now()));
    world.see(World.ready(world.pod("mnist-12e8d-b-0"), world.now()).lost(world.now()));
    world.edit(spec(3, 1, 1));
    world.settle();
    assertThat(world.status().replicas()).isEqualTo(3);
    assertThat(names(world)).containsExactly("a-0", "a-1", "b-1");
  }
}
