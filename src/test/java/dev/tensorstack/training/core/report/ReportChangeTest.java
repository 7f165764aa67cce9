package dev.tensorstack.training.core.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.observe.Observation;
import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.world.World;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ReportChangeTest {

  /** Whether the next report only tells of progress; it is stored then. */
  private static boolean isProgressOnly(World world) {
    Observation seen = world.observe();
    boolean progress =
        ReportChange.isProgressOnly(seen.job(), JobReport.of(seen, world.plan(seen)));
    world.step();
    return progress;
  }

  @Test
  void thatPodsAreBeingCreatedAndAllAreThereIsProgress() {
    World world = new World(World.workers(2, "Never"));
    assertThat(isProgressOnly(world)).as("the first report").isTrue();
    assertThat(isProgressOnly(world)).as("all pods are created").isTrue();
    world.settle();
    world.run("worker", 1);
    assertThat(isProgressOnly(world)).as("one of two pods runs").isTrue();
  }

  @Test
  void whatAUserWaitsForOrMustKnowIsNoMereProgress() {
    World world = new World(World.workers(2, "Never"));
    world.settle();
    world.see(unschedulable(world.pod("mnist-12e8d-worker-1"), "0/3 nodes are available"));
    assertThat(isProgressOnly(world)).as("no node fits").isFalse();
    world.see(unschedulable(world.pod("mnist-12e8d-worker-1"), null));
    assertThat(isProgressOnly(world)).as("a node fits").isFalse();
    world.allRun();
    assertThat(isProgressOnly(world)).as("the job runs").isFalse();
    world.exit("worker", 1, 1);
    assertThat(isProgressOnly(world)).as("the job fails").isFalse();
  }

  private static ObservedPod unschedulable(ObservedPod pod, @Nullable String why) {
    return new ObservedPod(
        pod.name(),
        pod.uid(),
        pod.replica(),
        0,
        0,
        pod.mode(),
        pod.phase(),
        false,
        null,
        null,
        null,
        pod.createdAt(),
        null,
        null,
        why,
        false,
        null,
        List.of(),
        null,
        null);
  }
}
