package dev.tensorstack.training.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.world.World;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** After a failure with torchrun the others end by themselves before the root cause is chosen. */
class FailureGraceTest {

  private static final String TORCHRUN = "torchrunConfig: {enabled: true}\n";
  private static final String LOST =
      "RuntimeError: [pair.cc:561] Connection closed by peer [127.0.0.1]:5002";

  private static final String STOPPED =
      "torch.distributed.elastic.multiprocessing.api.SignalException: Process 1 got signal: 15";

  private static World running(String policy) {
    World world = new World(World.workers(3, policy) + TORCHRUN);
    world.settle();
    world.allRun();
    world.settle();
    return world;
  }

  @Test
  void theEarliestFailureThatIsNoConsequenceIsNamed() {
    World world = running("Never");
    world.exit("worker", 0, 1, LOST);
    world.settle();
    assertThat(world.status().completionTime()).as("the others still run").isNull();
    assertThat(world.pods()).hasSize(3);
    assertThat(Objects.requireNonNull(world.status().conditions()).toString())
        .contains("to end by themselves");

    world.pass(Duration.ofSeconds(2));
    world.exit("worker", 2, 1, "ValueError: loss is not a number");
    world.settle();
    assertThat(world.status().completionTime()).isNull();
    world.exit("worker", 1, 1, LOST);
    world.settle();

    assertThat(world.status().phase()).isEqualTo("Failed");
    var failure = Objects.requireNonNull(world.status().lastFailure());
    assertThat(failure.replica()).isEqualTo("worker-2");
    assertThat(failure.message()).isEqualTo("ValueError: loss is not a number");
    assertThat(world.pods()).as("all logs are kept").hasSize(3);
  }

  @Test
  void whatDoesNotEndIsNotWaitedForLongerThanTheGrace() {
    World world = running("OnFailure");
    world.exit("worker", 1, 1, "ValueError: bad");
    world.settle();
    assertThat(world.status().attempt()).isZero();
    assertThat(world.plan().requeueAt()).isEqualTo(world.now().plusSeconds(10));
    world.pass(Duration.ofSeconds(10));
    world.settle();

    assertThat(world.status().attempt()).isEqualTo(1);
    assertThat(world.status().backoffCount()).isEqualTo(1);
    assertThat(Objects.requireNonNull(world.status().lastFailure()).replica())
        .isEqualTo("worker-1");
  }

  @Test
  void theFailureCountsAlthoughItsPodIsRemovedWithinTheGrace() {
    World world = running("OnFailure");
    world.exit("worker", 1, 3, "bad");
    world.settle();
    world.pass(Duration.ofSeconds(1));
    world.settle();
    world.vanish("mnist-12e8d-worker-1");
    world.settle();

    assertThat(world.status().attempt()).isEqualTo(1);
    assertThat(world.status().backoffCount()).isEqualTo(1);
    assertThat(world.status().disruptionCount()).isZero();
    assertThat(Objects.requireNonNull(world.status().lastFailure()).exitCode()).isEqualTo(3);
  }

  /** A killed operator had sent for it: it is in no ring with what failed, and is stopped. */
  @Test
  void aLateComerOfAnEarlierAttemptIsNotWaitedFor() {
    World world = new World(World.workers(3, "OnFailure") + TORCHRUN);
    world.step();
    ObservedPod late = world.pod("mnist-12e8d-worker-1");
    world.vanish(late.name());
    world.exit("worker", 0, 1, "ValueError: bad");
    world.step();
    world.step();
    assertThat(world.status().attempt()).isEqualTo(1);
    world.see(late);
    world.run("worker", 0);
    world.run("worker", 1);

    world.exit("worker", 0, 1, "ValueError: bad");
    world.step();

    assertThat(world.status().attempt()).isEqualTo(2);
    assertThat(world.status().backoffCount()).isEqualTo(2);
  }

  @Test
  void aPauseWithinTheGraceFindsTheFailureCounted() {
    World world = running("OnFailure");
    world.exit("worker", 1, 1, "bad");
    world.settle();
    world.edit(World.workers(3, "OnFailure") + TORCHRUN + "runMode: {pause: {enabled: true}}\n");
    world.settle();
    assertThat(world.status().backoffCount()).isEqualTo(1);
    assertThat(world.status().phase()).isEqualTo("Paused");
  }

  /** Its kubelet has refused the pod, and the status that said so may not have been stored. */
  @Test
  void aFailureThatNobodyDatesDoesNotBeginToWaitWithOneThatFollows() {
    World world = running("Never");
    world.see(World.in(world.pod("mnist-12e8d-worker-0"), ObservedPod.Phase.FAILED, List.of()));
    world.exit("worker", 1, 137);
    world.settle();
    assertThat(world.status().phase()).isEqualTo("Failed");
  }

  @Test
  void aDisruptionIsNotWaitedFor() {
    World world = running("OnFailure");
    world.vanish("mnist-12e8d-worker-1");
    world.settle();
    assertThat(world.status().attempt()).isEqualTo(1);
  }

  /** Whatever fails with those that have failed has done so. */
  private static void afterTheGrace(World world) {
    world.settle();
    world.pass(Duration.ofSeconds(10));
    world.settle();
  }

  private static World ring(String runPolicy) {
    World world =
        new World(
            World.workers(3, "OnFailure")
                + TORCHRUN
                + "elastic: {enabled: true, minReplicas: 1, maxReplicas: 3}\n"
                + runPolicy);
    world.settle();
    world.allRun();
    world.settle();
    world.pass(Duration.ofSeconds(40));
    return world;
  }

  /** The agents need a while to find that the ring cannot be formed again. */
  @Test
  void whatLosesItsPeerToADisruptionOfAnEarlierLookCostsNothing() {
    World world = ring("");
    world.vanish("mnist-12e8d-worker-1");
    world.settle();
    assertThat(world.status().disruptionCount()).isEqualTo(1);
    world.pass(Duration.ofSeconds(15));
    world.exit("worker", 0, 1, LOST);
    world.exit("worker", 2, 1, LOST);
    afterTheGrace(world);

    assertThat(world.status().attempt()).isEqualTo(1);
    assertThat(world.status().backoffCount()).isZero();
    assertThat(world.status().disruptionCount()).isEqualTo(1);
    assertThat(Objects.requireNonNull(world.status().lastFailure()).replica())
        .isEqualTo("worker-1");

    // Those of the new attempt were not there when it happened.
    world.allRun();
    world.settle();
    world.pass(Duration.ofSeconds(15));
    world.exit("worker", 0, 1, LOST);
    afterTheGrace(world);
    assertThat(world.status().backoffCount()).isEqualTo(1);
  }

  /**
   * One out-of-memory kill is one restart, however late the others find that their ring is gone.
   */
  @Test
  void whatLosesItsPeerToAFailureThatWasReplacedAloneCostsNothingMore() {
    World world = ring("runPolicy: {backoffLimit: 1}\n");
    world.exit("worker", 1, 137);
    world.settle();
    assertThat(world.status().backoffCount()).isEqualTo(1);
    assertThat(world.status().attempt()).isZero();
    world.pass(Duration.ofSeconds(15));
    world.exit("worker", 0, 1, LOST);
    world.exit("worker", 2, 1, LOST);
    afterTheGrace(world);

    assertThat(world.status().completionTime()).isNull();
    assertThat(world.status().attempt()).isEqualTo(1);
    assertThat(world.status().backoffCount()).isEqualTo(1);
    assertThat(Objects.requireNonNull(world.status().lastFailure()).replica())
        .isEqualTo("worker-1");
  }

  /** Its log still ends with the loss that its agent has survived, or says that it was stopped. */
  @ParameterizedTest
  @CsvSource({"137, " + LOST, "143, " + LOST, "1, " + STOPPED})
  void whatIsKilledOrStoppedAfterItHasSurvivedTheLossOfAPeerIsCounted(int exitCode, String log) {
    World world = ring("");
    world.exit("worker", 1, 137);
    world.settle();
    world.allRun();
    world.settle();
    world.pass(Duration.ofSeconds(25));
    world.exit("worker", 0, exitCode, log);
    afterTheGrace(world);

    assertThat(world.status().attempt()).isEqualTo(1);
    assertThat(world.status().backoffCount()).isEqualTo(2);
    assertThat(Objects.requireNonNull(world.status().lastFailure()).replica())
        .isEqualTo("worker-0");
  }

  /** Which of them has lost its peer first says nothing of what was counted before. */
  @Test
  void whatLosesItsPeerCostsNothingMoreAlsoWhenAnotherHasLostItBefore() {
    World world = ring("runPolicy: {backoffLimit: 1}\n");
    world.exit("worker", 1, 137);
    world.settle();
    assertThat(world.status().backoffCount()).isEqualTo(1);
    world.pass(Duration.ofSeconds(15));
    world.exit("worker", 0, 1, LOST);
    world.pass(Duration.ofSeconds(1));
    world.exit("worker", 2, 1, lostSince(world, Duration.ofSeconds(4)));
    afterTheGrace(world);

    assertThat(world.status().completionTime()).isNull();
    assertThat(world.status().attempt()).isEqualTo(1);
    assertThat(world.status().backoffCount()).isEqualTo(1);
    assertThat(Objects.requireNonNull(world.status().lastFailure()).replica())
        .isEqualTo("worker-1");
  }

  /** The end of the log of an agent whose process has failed a while ago. */
  private static String lostSince(World world, Duration ago) {
    return """
        [rank2]: Traceback (most recent call last):
        [rank2]:   File "/train.py", line 7, in <module>
        [rank2]: %s
        torch.distributed.elastic.multiprocessing.errors.ChildFailedError:
        Root Cause (first observed failure):
        [0]:
          time      : %s
          rank      : 2 (local_rank: 0)
          exitcode  : 1 (pid: 23951)
        """
        .formatted(
            LOST,
            DateTimeFormatter.ofPattern("yyyy-MM-dd_HH:mm:ss")
                .withZone(ZoneOffset.UTC)
                .format(world.now().minus(ago)));
  }

  /** A killed process has no last words; what its log ends with is older. */
  @Test
  void whatIsKilledIsToBlameForWhatLosesItsPeerAtTheSameLook() {
    World world = ring("runPolicy: {backoffLimit: 1}\n");
    world.exit("worker", 2, 137, LOST);
    world.pass(Duration.ofSeconds(1));
    world.exit("worker", 0, 1, LOST);
    afterTheGrace(world);

    assertThat(world.status().completionTime()).isNull();
    assertThat(world.status().attempt()).isEqualTo(1);
    assertThat(world.status().backoffCount()).isEqualTo(1);
    assertThat(Objects.requireNonNull(world.status().lastFailure()).replica())
        .isEqualTo("worker-2");
  }

  @Test
  void whatLosesItsPeerToADisruptionOfTheSameLookEndsNoJobThatHasNoBudgetLeft() {
    World world = ring("runPolicy: {backoffLimit: 0}\n");
    world.vanish("mnist-12e8d-worker-1");
    world.exit("worker", 0, 1, LOST);
    afterTheGrace(world);

    assertThat(world.status().completionTime()).isNull();
    assertThat(world.status().attempt()).isEqualTo(1);
    assertThat(world.status().backoffCount()).isZero();
    assertThat(world.status().disruptionCount()).isEqualTo(1);
  }

  @Test
  void withoutTorchrunNobodyIsWaitedFor() {
    World world = new World(World.workers(3, "Never"));
    world.settle();
    world.allRun();
    world.settle();
    world.exit("worker", 1, 1);
    world.settle();
    assertThat(world.status().phase()).isEqualTo("Failed");
  }

  @Test
  void theLogOfTheLastFailureIsKeptAmongTheTen() {
    World world = new World(World.workers(12, "OnFailure") + TORCHRUN);
    world.settle();
    world.allRun();
    world.settle();
    for (int index = 0; index < 12; index++) {
      world.exit("worker", index, 1, index == 1 ? "ValueError: bad" : LOST);
    }
    world.settle();
    assertThat(world.status().attempt()).isEqualTo(1);
    String failed = Objects.requireNonNull(world.status().lastFailure()).pod();
    assertThat(failed)
        .as("the two that come last by name are left out")
        .isEqualTo("mnist-12e8d-worker-1");
    assertThat(world.pods()).containsKey(failed);
    assertThat(world.pods().values().stream().filter(ObservedPod::ended)).hasSize(10);
  }

  private static World runningPlainly(String policy) {
    World world = new World(World.workers(3, policy), Duration.ofSeconds(3));
    world.settle();
    world.allRun();
    world.settle();
    return world;
  }

  @Test
  void withoutTorchrunAMasterThatEndedWellAtTheSameTimeMakesTheJobSucceed() {
    for (String policy : List.of("Never", "OnFailure")) {
      World world = runningPlainly(policy);
      world.exit("worker", 1, 1);
      world.settle();
      assertThat(world.status().completionTime()).isNull();
      assertThat(world.pods()).as("the others keep their logs").hasSize(3);
      world.pass(Duration.ofSeconds(2));
      world.exit("worker", 0, 0);
      world.settle();

      assertThat(world.status().phase()).isEqualTo("Succeeded");
      assertThat(world.status().backoffCount()).isZero();
    }
  }

  @Test
  void withoutTorchrunTheEarliestFailureOfThoseThatEndTogetherIsNamed() {
    World world = runningPlainly("Never");
    world.exit("worker", 1, 1);
    world.settle();
    world.exit("worker", 2, 1);
    world.exit("worker", 0, 1);
    world.settle();

    assertThat(world.status().phase()).as("nothing is left to wait for").isEqualTo("Failed");
    assertThat(world.pods()).as("all logs are kept").hasSize(3);
  }

  @Test
  void withoutTorchrunWhatDoesNotEndIsWaitedForNoLongerThanItsOwnGrace() {
    World world = runningPlainly("OnFailure");
    world.exit("worker", 1, 1);
    world.settle();
    assertThat(world.plan().requeueAt()).isEqualTo(world.now().plusSeconds(3));
    world.pass(Duration.ofSeconds(3));
    world.settle();

    assertThat(world.status().attempt()).isEqualTo(1);
  }
}
