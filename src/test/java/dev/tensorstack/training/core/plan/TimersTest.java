package dev.tensorstack.training.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.observe.ObjectWrite;
import dev.tensorstack.training.core.observe.WriteFailure;
import dev.tensorstack.training.world.World;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Deadline, time to live and delay as the planner sees them. */
class TimersTest {

  private static String spec(String runPolicy, String restartPolicy) {
    return World.workers(2, restartPolicy) + "runPolicy: {" + runPolicy + "}\n";
  }

  private static World running(String spec) {
    World world = new World(spec);
    world.settle();
    world.allRun();
    world.settle();
    return world;
  }

  @Test
  void theClockRunsFromTheFirstLookThoughNoStatusIsStoredYet() {
    World world = new World(spec("activeDeadlineSeconds: 60", "Never"));

    assertThat(world.plan().requeueAt()).isEqualTo(world.now().plusSeconds(60));
  }

  @Test
  void theDeadlineWakesThePlannerAndEndsTheJob() {
    World world = running(spec("activeDeadlineSeconds: 60", "Never"));
    assertThat(world.plan().requeueAt()).isEqualTo(World.START.plusSeconds(60));

    world.pass(Duration.ofSeconds(59));
    assertThat(world.settle().phase()).isEqualTo("Running");
    world.pass(Duration.ofSeconds(1));
    assertThat(world.settle().phase()).isEqualTo("Failed");
    assertThat(world.status().columns().reason()).isEqualTo("DeadlineExceeded");
    assertThat(world.pods()).isEmpty();
  }

  @Test
  void aChangedDeadlineCountsFromTheSameStart() {
    World world = running(spec("activeDeadlineSeconds: 60", "Never"));
    world.pass(Duration.ofSeconds(50));
    world.edit(spec("activeDeadlineSeconds: 100", "Never"));
    assertThat(world.plan().requeueAt()).isEqualTo(World.START.plusSeconds(100));

    world.edit(spec("activeDeadlineSeconds: 40", "Never"));
    assertThat(world.settle().phase()).isEqualTo("Failed");
  }

  @Test
  void theDeadlineRunsWhileARestartWaits() {
    World world = running(spec("activeDeadlineSeconds: 15", "OnFailure"));
    for (int i = 0; i < 2; i++) {
      world.exit("worker", 1, 1);
      world.settle();
      world.allRun();
      world.settle();
    }
    assertThat(world.plan().requeueAt()).isEqualTo(World.START.plusSeconds(10));
    world.pass(Duration.ofSeconds(15));

    assertThat(world.settle().columns().reason()).isEqualTo("DeadlineExceeded");
  }

  @Test
  void theDeadlineNeitherRunsNorWakesWhilePausedAndBeginsAnewAtResume() {
    String deadline = spec("activeDeadlineSeconds: 60", "Never");
    World world = running(deadline);
    world.edit(deadline + "runMode: {pause: {enabled: true}}\n");
    world.settle();
    assertThat(world.plan().requeueAt()).isNull();
    world.pass(Duration.ofHours(1));
    assertThat(world.settle().phase()).isEqualTo("Paused");

    world.edit(deadline);
    world.settle();
    assertThat(world.status().startTime()).isEqualTo(World.START.plusSeconds(3_600).toString());
    assertThat(world.plan().requeueAt()).isEqualTo(World.START.plusSeconds(3_660));
  }

  @Test
  void anUsedUpQuotaDoesNotKeepTheDeadlineFromStoppingPods() {
    World world = running(spec("activeDeadlineSeconds: 60", "Never"));
    world.pass(Duration.ofSeconds(60));
    world.refuse(
        new WriteFailure(
            ObjectWrite.pod("mnist-12e8d-worker-0"),
            WriteFailure.Kind.QUOTA,
            "exceeded quota",
            world.now().plusSeconds(60)));

    assertThat(world.step().actions()).hasOnlyElementsOfType(PlannedAction.DeletePod.class);
    assertThat(world.pods()).isEmpty();
  }

  @Test
  void theTimeToLiveWakesThePlannerAndDeletesTheJob() {
    for (int exitCode = 0; exitCode <= 1; exitCode++) {
      World world = running(spec("ttlSecondsAfterFinished: 60", "Never"));
      world.exit("worker", 0, exitCode);
      world.settle();
      world.pass(Duration.ofSeconds(5));
      world.settle();
      assertThat(world.plan().requeueAt()).isEqualTo(World.START.plusSeconds(60));
      assertThat(world.plan().actions()).isEmpty();

      world.pass(Duration.ofSeconds(60));
      assertThat(world.plan().actions())
          .containsExactly(new PlannedAction.DeleteJob(world.job().uid()));
    }
  }

  @Test
  void aTimeToLiveOfZeroDeletesWithTheDecisionAndItsReport() {
    World world = running(spec("ttlSecondsAfterFinished: 0", "Never"));
    world.exit("worker", 0, 0);
    Plan plan = world.step();

    assertThat(plan.actions()).containsExactly(new PlannedAction.DeleteJob(world.job().uid()));
    assertThat(world.status().phase()).isEqualTo("Succeeded");
    assertThat(world.status().completionTime()).isNotNull();
  }

  @Test
  void aTimeToLiveThatWasShortenedTakesEffect() {
    World world = running(spec("ttlSecondsAfterFinished: 600", "Never"));
    world.exit("worker", 0, 0);
    world.settle();
    world.pass(Duration.ofSeconds(10));
    world.edit(spec("ttlSecondsAfterFinished: 5", "Never"));

    assertThat(world.plan().actions()).hasSize(1);
  }

  @Test
  void aJobWithoutTimeToLiveStays() {
    World world = running(spec("cleanUpPolicy: None", "Never"));
    world.exit("worker", 0, 0);
    world.settle();
    world.pass(Duration.ofDays(365));

    assertThat(world.plan().actions()).isEmpty();
    assertThat(world.plan().requeueAt()).isNull();
  }

  @Test
  void torchrunsAgentsGraceAndTheTimeToLiveWakeInTheirOrder() {
    World world =
        running(spec("ttlSecondsAfterFinished: 40", "Never") + "torchrunConfig: {enabled: true}\n");
    world.exit("worker", 0, 0);
    world.settle();
    assertThat(world.plan().requeueAt()).isEqualTo(World.START.plusSeconds(30));

    world.pass(Duration.ofSeconds(30));
    world.settle();
    assertThat(world.pods()).hasSize(1);
    assertThat(Objects.requireNonNull(world.plan().requeueAt()))
        .isEqualTo(World.START.plusSeconds(40));
  }

  private static String elastic(int nodes) {
    return World.workers(4, "OnFailure")
        + "torchrunConfig: {enabled: true}\n"
        + "elastic: {enabled: true, minReplicas: 1, maxReplicas: 4, expectedReplicas: %d}\n"
            .formatted(nodes);
  }

  private static void failMaster(World world) {
    world.allRun();
    world.settle();
    world.pass(Duration.ofMinutes(1));
    world.exit("worker", 0, 1, "ValueError: bad");
    world.settle();
    world.pass(Duration.ofSeconds(10));
    world.settle();
  }

  /** It would wait for the master, which hosts the rendezvous, and keep a GPU busy with that. */
  @Test
  void whatScalingAddsWhileAnAttemptIsDelayedComesWithTheOthers() {
    World world = new World(elastic(2));
    world.settle();
    failMaster(world);
    failMaster(world);
    failMaster(world);
    assertThat(world.status().attempt()).isEqualTo(3);
    assertThat(world.pods()).noneSatisfy((name, pod) -> assertThat(pod.ended()).isFalse());
    world.edit(elastic(4));
    world.settle();
    assertThat(world.pods()).noneSatisfy((name, pod) -> assertThat(pod.ended()).isFalse());
    assertThat(world.plan().requeueAt()).isEqualTo(world.now().plusSeconds(10));

    world.pass(Duration.ofSeconds(10));
    world.settle();
    assertThat(world.pods().keySet())
        .contains(
            "mnist-12e8d-worker-0-r3",
            "mnist-12e8d-worker-1-r3",
            "mnist-12e8d-worker-2",
            "mnist-12e8d-worker-3");
  }

  @Test
  void whatScalingBringsBackWhileAnAttemptIsDelayedComesWithTheOthers() {
    World world = new World(elastic(4));
    world.settle();
    world.allRun();
    world.settle();
    world.pass(Duration.ofMinutes(2));
    world.edit(elastic(2));
    world.settle();
    failMaster(world);
    failMaster(world);
    failMaster(world);
    world.edit(elastic(1));
    world.settle();
    world.edit(elastic(4));
    world.settle();
    assertThat(world.status().attempt()).isEqualTo(3);
    assertThat(world.pods()).noneSatisfy((name, pod) -> assertThat(pod.ended()).isFalse());

    world.pass(Duration.ofSeconds(10));
    world.settle();
    assertThat(world.pods().values().stream().filter(pod -> !pod.ended())).hasSize(4);
  }

  @Test
  void aClockThatIsSetForwardFiresWhatIsDueByIt() {
    World world = running(spec("activeDeadlineSeconds: 86400", "Never"));
    world.pass(Duration.ofDays(2));

    assertThat(world.settle().columns().reason()).isEqualTo("DeadlineExceeded");
  }

  @Test
  void aClockThatIsSetBackFiresNothingAndTheMomentStays() {
    World world = running(spec("activeDeadlineSeconds: 60", "Never"));
    world.pass(Duration.ofHours(-1));
    assertThat(world.settle().phase()).isEqualTo("Running");
    assertThat(world.plan().requeueAt()).isEqualTo(World.START.plusSeconds(60));

    world.pass(Duration.ofHours(1).plusSeconds(60));
    assertThat(world.settle().columns().reason()).isEqualTo("DeadlineExceeded");
  }

  @Test
  void aRestartDoesNotWaitForHoursBecauseTheClockWasSetBack() {
    World world = running(spec("", "OnFailure"));
    for (int i = 0; i < 2; i++) {
      world.exit("worker", 1, 1);
      world.settle();
      world.allRun();
      world.settle();
    }
    assertThat(world.plan().requeueAt()).isEqualTo(World.START.plusSeconds(10));
    world.pass(Duration.ofHours(-1));

    assertThat(world.plan().actions())
        .hasSize(2)
        .hasOnlyElementsOfType(PlannedAction.CreatePod.class);
  }
}
