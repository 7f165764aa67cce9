package dev.tensorstack.training.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.world.World;
import org.junit.jupiter.api.Test;

class SuccessPolicyTest {

  private static World running(String more) {
    World world = new World(World.workers(2, "Never") + more);
    world.settle();
    world.allRun();
    return world;
  }

  @Test
  void aMasterThatEndedWithZeroHasSucceeded() {
    World world = running("");
    assertThat(SuccessPolicy.succeeded(world.pod("mnist-12e8d-worker-0"))).isFalse();
    world.exit("worker", 0, 0);
    assertThat(SuccessPolicy.succeeded(world.pod("mnist-12e8d-worker-0"))).isTrue();
  }

  @Test
  void oneThatFailedOrIsNotThereHasNot() {
    World world = running("");
    world.exit("worker", 0, 1);
    assertThat(SuccessPolicy.succeeded(world.pod("mnist-12e8d-worker-0"))).isFalse();
    assertThat(SuccessPolicy.succeeded(null)).isFalse();
  }

  @Test
  void whatEndsInDebugModeIsNoSuccess() {
    World world = running("runMode: {debug: {enabled: true}}\n");
    world.exit("worker", 0, 0);
    assertThat(SuccessPolicy.succeeded(world.pod("mnist-12e8d-worker-0"))).isFalse();
  }
}
