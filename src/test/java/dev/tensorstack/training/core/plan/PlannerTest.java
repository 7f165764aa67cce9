package dev.tensorstack.training.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.world.World;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Each with and without the time that the others get to end after a failure without torchrun. */
@ParameterizedClass
@ValueSource(strings = {"PT0S", "PT3S"})
class PlannerTest {

  private static final String FOUR = World.workers(4, "Never");

  private final Duration grace;

  PlannerTest(Duration grace) {
    this.grace = grace;
  }

  private World running(String spec) {
    World world = new World(spec, grace);
    world.settle();
    world.allRun();
    world.settle();
    return world;
  }

  /** Lets a failure be decided on. */
  private void decide(World world) {
    world.settle();
    world.pass(grace);
    world.settle();
  }

  @Test
  void missingPodsAreCreatedUnderDeterministicNames() {
    Plan plan = new World(FOUR).plan();

    assertThat(plan.actions())
        .extracting(action -> ((PlannedAction.CreatePod) action).name())
        .containsExactly(
            "mnist-12e8d-worker-0",
            "mnist-12e8d-worker-1",
            "mnist-12e8d-worker-2",
            "mnist-12e8d-worker-3");
  }

  @Test
  void theSameInputGivesTheSamePlan() {
    World world = running(FOUR);

    assertThat(world.plan()).isEqualTo(world.plan());
  }

  @Test
  void nothingIsDoneWhenNothingIsMissing() {
    Plan plan = running(FOUR).plan();

    assertThat(plan.actions()).isEmpty();
    assertThat(plan.requeueAt()).isNull();
  }

  @Test
  void theMastersSuccessEndsTheJobAndUnfinishedPodsGo() {
    World world = running(FOUR);
    world.exit("worker", 0, 0);
    world.settle();

    assertThat(world.status().phase()).isEqualTo("Succeeded");
    assertThat(world.pods()).as("the others end by themselves in a moment").hasSize(4);
    assertThat(world.plan().requeueAt()).isEqualTo(world.now().plusSeconds(5));
    world.pass(Duration.ofSeconds(5));
    world.settle();
    assertThat(world.pods()).containsOnlyKeys("mnist-12e8d-worker-0");
  }

  @Test
  void withTorchrunTheOtherAgentsGetTimeToExit() {
    World world = running(FOUR + "torchrunConfig: {enabled: true}\n");
    world.exit("worker", 0, 0);
    Plan plan = world.step();

    assertThat(world.status().phase()).isEqualTo("Succeeded");
    assertThat(plan.actions()).isEmpty();
    assertThat(plan.requeueAt()).isEqualTo(world.now().plusSeconds(30));
    world.pass(Duration.ofSeconds(30));
    world.settle();
    assertThat(world.pods()).containsOnlyKeys("mnist-12e8d-worker-0");
  }

  @Test
  void aWorkersSuccessEndsNothing() {
    World world = running(FOUR);
    world.exit("worker", 3, 0);
    world.settle();

    assertThat(world.status().phase()).isEqualTo("Running");
  }

  @Test
  void aFailedPodOfPolicyNeverFailsTheJob() {
    World world = running(FOUR);
    world.exit("worker", 2, 3);
    decide(world);

    assertThat(world.status().phase()).isEqualTo("Failed");
    assertThat(world.status().lastFailure().replica()).isEqualTo("worker-2");
    assertThat(world.status().lastFailure().exitCode()).isEqualTo(3);
    assertThat(world.status().columns().reason()).isEqualTo("ReplicaFailed");
    assertThat(world.pods()).containsOnlyKeys("mnist-12e8d-worker-2");
  }

  @Test
  void terminalStaysTerminal() {
    World world = running(FOUR);
    world.exit("worker", 2, 3);
    decide(world);
    world.exit("worker", 0, 0);
    world.edit(World.workers(4, "OnFailure"));
    world.settle();

    assertThat(world.status().phase()).isEqualTo("Failed");
  }

  @Test
  void cleanUpPolicyDecidesWhatStays() {
    for (String policy : new String[] {"All", "None", "Unfinished"}) {
      World world = running(FOUR + "runPolicy: {cleanUpPolicy: " + policy + "}\n");
      world.exit("worker", 0, 0);
      world.settle();
      world.pass(Duration.ofSeconds(5));
      world.settle();

      assertThat(world.pods())
          .as(policy)
          .hasSize(policy.equals("All") ? 0 : policy.equals("None") ? 4 : 1);
    }
  }

  @Test
  void scopeJobStartsAllPodsAnewInOneAttempt() {
    World world = running(World.workers(3, "OnFailure"));
    world.exit("worker", 1, 1);
    decide(world);

    assertThat(world.status().attempt()).isEqualTo(1);
    assertThat(world.status().backoffCount()).isEqualTo(1);
    assertThat(world.pods().values().stream().filter(ObservedPod::live))
        .extracting(ObservedPod::name)
        .containsExactly(
            "mnist-12e8d-worker-0-r1", "mnist-12e8d-worker-1-r1", "mnist-12e8d-worker-2-r1");
    assertThat(world.pods().values().stream().filter(ObservedPod::live))
        .allMatch(pod -> pod.attempt() == 1);
  }

  @Test
  void aSecondCountedRestartWaits() {
    World world = running(World.workers(1, "OnFailure"));
    world.exit("worker", 0, 1);
    world.settle();
    world.allRun();
    world.settle();
    world.exit("worker", 0, 1);
    Plan plan = world.step();

    assertThat(plan.actions()).isEmpty();
    assertThat(plan.requeueAt()).isEqualTo(world.now().plusSeconds(10));
    world.pass(Duration.ofSeconds(10));
    world.settle();
    assertThat(world.pods()).containsKey("mnist-12e8d-worker-0-r2");
    assertThat(world.status().backoffCount()).isEqualTo(2);
  }

  @Test
  void theBudgetIsNeitherPassedNorCutShort() {
    World world = running(World.workers(2, "OnFailure") + "runPolicy: {backoffLimit: 2}\n");
    for (int restart = 1; restart <= 2; restart++) {
      world.exit("worker", 1, 1);
      world.settle();
      world.pass(Duration.ofMinutes(5));
      world.settle();
      world.allRun();
      world.settle();
      assertThat(world.status().backoffCount()).isEqualTo(restart);
      assertThat(world.status().phase()).isEqualTo("Running");
    }
    world.exit("worker", 1, 1);
    decide(world);

    assertThat(world.status().phase()).isEqualTo("Failed");
    assertThat(world.status().backoffCount()).isEqualTo(2);
    assertThat(world.status().columns().reason()).isEqualTo("BackoffLimitExceeded");
  }

  @Test
  void aJobThatCannotWorkIsFailedBeforeAnyPodExists() {
    World world = new World(FOUR + "elastic: {enabled: true, minReplicas: 2, maxReplicas: 4}\n");
    world.settle();

    assertThat(world.status().phase()).isEqualTo("Failed");
    assertThat(world.status().columns().reason()).isEqualTo("InvalidSpec");
    assertThat(world.pods()).isEmpty();
  }

  @Test
  void aRunningJobThatTodaysRulesRefuseGoesOn() {
    World world = running(FOUR);
    world.edit(FOUR + "elastic: {enabled: true, minReplicas: 4, maxReplicas: 4}\n");
    world.settle();

    assertThat(world.status().phase()).isEqualTo("Running");
  }

  @Test
  void aJobCreatedPausedHasNoPodsAndStartsWhenResumed() {
    World world = new World(FOUR + "runMode: {pause: {enabled: true}}\n");
    world.settle();
    assertThat(world.status().phase()).isEqualTo("Paused");
    assertThat(world.pods()).isEmpty();

    world.edit(FOUR + "runMode: {pause: {enabled: false}}\n");
    world.settle();
    assertThat(world.status().phase()).isEqualTo("Resuming");
    world.allRun();
    world.settle();
    assertThat(world.status().phase()).isEqualTo("Running");
    assertThat(world.pods()).hasSize(4).containsKey("mnist-12e8d-worker-0");
  }
}
