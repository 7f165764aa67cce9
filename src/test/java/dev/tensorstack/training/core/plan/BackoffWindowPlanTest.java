package dev.tensorstack.training.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.world.World;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Only restarts of the last {@code backoffWindowSeconds} cost the job its budget. */
class BackoffWindowPlanTest {

  private static final Duration HOUR = Duration.ofHours(1);

  private static World running(String more) {
    World world = new World(World.workers(1, "OnFailure") + more);
    world.settle();
    world.allRun();
    world.settle();
    return world;
  }

  /** Fails the only pod and lets its replacement run, if there is one. */
  private static void fail(World world) {
    world.exit("worker", 0, 1);
    world.settle();
    world.pass(Duration.ofMinutes(6));
    world.settle();
    world.allRun();
    world.settle();
  }

  @Test
  void aTrainingOfWeeksSurvivesMoreFailuresThanItsLimit() {
    World world = running("runPolicy: {backoffLimit: 2, backoffWindowSeconds: 3600}\n");

    for (int day = 1; day <= 10; day++) {
      fail(world);
      assertThat(world.status().phase()).isEqualTo("Running");
      assertThat(world.status().recentBackoffCount()).isEqualTo(1);
      assertThat(world.status().backoffCount()).isEqualTo(day);
      world.pass(HOUR);
      world.settle();
      assertThat(world.status().recentBackoffCount()).isZero();
    }
  }

  @Test
  void oneThatFailsAgainAndAgainEndsWithinTheWindow() {
    World world = running("runPolicy: {backoffLimit: 2, backoffWindowSeconds: 3600}\n");
    fail(world);
    fail(world);
    assertThat(world.status().recentBackoffCount()).isEqualTo(2);

    fail(world);

    assertThat(world.status().phase()).isEqualTo("Failed");
    assertThat(world.status().columns().reason()).isEqualTo("BackoffLimitExceeded");
    assertThat(world.status().conditions().get(4).message())
        .endsWith("; the backoffLimit of 2 restarts within 3600 s is used up");
    world.pass(HOUR);
    world.settle();
    assertThat(world.status().recentBackoffCount()).as("what decided stays").isEqualTo(2);
  }

  @Test
  void theDelayBeforeARestartBeginsAnewWhenTheWindowHasPassed() {
    World world = running("runPolicy: {backoffLimit: 5, backoffWindowSeconds: 3600}\n");
    fail(world);
    fail(world);
    world.pass(HOUR);
    world.settle();

    world.exit("worker", 0, 1);
    world.settle();

    assertThat(world.pods()).as("created at once").containsKey("mnist-12e8d-worker-0-r3");
  }

  @Test
  void theOperatorLooksAgainWhenOneRestartLessCounts() {
    World world = running("runPolicy: {backoffLimit: 2, backoffWindowSeconds: 3600}\n");
    world.exit("worker", 0, 1);
    world.settle();
    Instant restarted = world.now();
    world.allRun();
    world.settle();

    assertThat(world.plan().requeueAt()).isEqualTo(restarted.plus(HOUR));
  }

  @Test
  void aWindowThatIsSetLaterKnowsTheRestartsOfBefore() {
    World world = running("runPolicy: {backoffLimit: 2}\n");
    fail(world);
    assertThat(world.status().recentBackoffCount()).isNull();

    world.edit(
        World.workers(1, "OnFailure")
            + "runPolicy: {backoffLimit: 2, backoffWindowSeconds: 3600}\n");
    world.settle();

    assertThat(world.status().recentBackoffCount()).isEqualTo(1);
  }
}
