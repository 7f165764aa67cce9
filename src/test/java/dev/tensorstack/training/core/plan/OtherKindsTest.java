package dev.tensorstack.training.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.model.JobTraits;
import dev.tensorstack.training.core.model.ServiceLayout;
import dev.tensorstack.training.core.model.SuccessCriterion;
import dev.tensorstack.training.core.naming.JobNaming;
import dev.tensorstack.training.core.observe.ObservedContainer;
import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.core.pod.TorchrunPods;
import dev.tensorstack.training.kind.trainingjob.spec.JobNames;
import dev.tensorstack.training.world.SamePodNames;
import dev.tensorstack.training.world.World;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What jobs of other kinds want of the engine: the traits one by one. */
class OtherKindsTest {

  private static final JobNaming NAMES = JobNames.of("ns", "mnist", World.UID);
  private static final JobNaming SAME_NAMES = new SamePodNames(NAMES);
  private static final String WORKER = "mnist-12e8d-worker-";
  private static final String PEER_GONE =
      "RuntimeError: Connection closed by peer [10.0.0.1]:29500";

  private static JobTraits traits(SuccessCriterion success) {
    return traits(success, false, ServiceLayout.ONE_FOR_ALL_PODS, false);
  }

  private static JobTraits traits(
      SuccessCriterion success,
      boolean reusesPodNames,
      ServiceLayout services,
      boolean restartsInPlace) {
    return new JobTraits(
        success,
        false,
        reusesPodNames,
        services,
        false,
        restartsInPlace,
        "pytorch",
        true,
        "runPolicy.suspend",
        TorchrunPods.WITH_MASTER.pods());
  }

  private static JobTraits sameNames() {
    return traits(SuccessCriterion.MASTER, true, ServiceLayout.ONE_FOR_ALL_PODS, false);
  }

  private static World world(String policy, JobTraits traits, JobNaming names) {
    World world =
        new World(
                World.workers(3, policy) + "runPolicy: {restartScope: Replica, backoffLimit: 3}\n")
            .like(traits, names);
    world.settle();
    world.allRun();
    world.settle();
    return world;
  }

  @Test
  void theJobSucceedsWhenAllReplicasHaveAlsoThoseWhosePodsAreRemoved() {
    World world = world("OnFailure", traits(SuccessCriterion.ALL_REPLICAS), NAMES);
    for (int index : new int[] {0, 2}) {
      world.exit("worker", index, 0);
      assertThat(world.settle().phase()).isEqualTo("Running");
    }
    world.vanish(WORKER + 0);
    assertThat(world.settle().phase()).isEqualTo("Running");
    world.exit("worker", 1, 0);
    assertThat(world.settle().phase()).isEqualTo("Succeeded");
  }

  @Test
  void theJobSucceedsWhenAnyReplicaHas() {
    World world = world("OnFailure", traits(SuccessCriterion.ANY_REPLICA), NAMES);
    world.exit("worker", 2, 0);
    assertThat(world.settle().phase()).isEqualTo("Succeeded");
    assertThat(world.status().conditions())
        .anySatisfy(condition -> assertThat(condition.message()).contains("worker-2 succeeded"));
  }

  @ParameterizedTest
  @EnumSource(SuccessCriterion.class)
  void aMasterOnWhichNobodyDependsIsReplacedAlone(SuccessCriterion success) {
    World world = world("OnFailure", traits(success), NAMES);
    world.exit("worker", 0, 1);
    world.settle();
    world.pass(Duration.ofMinutes(1));
    assertThat(world.settle().attempt()).isZero();
    assertThat(world.status().backoffCount()).isEqualTo(1);
    assertThat(world.pods().keySet()).contains(WORKER + "0-r1", WORKER + 1, WORKER + 2);
  }

  @Test
  void eachReplicaHasAServiceThatComesAgainAndLeavesWithIt() {
    World world =
        new World(
                World.workers(3, "OnFailure")
                    + """
                    torchrunConfig: {enabled: true}
                    elastic: {enabled: true, minReplicas: 1, maxReplicas: 3, expectedReplicas: 3}
                    """)
            .like(
                traits(SuccessCriterion.MASTER, false, ServiceLayout.ONE_PER_REPLICA, false),
                NAMES);
    Plan first = world.plan();
    assertThat(first.actions())
        .filteredOn(PlannedAction.CreateService.class::isInstance)
        .hasSize(3);
    assertThat(world.report(world.observe(), first).conditions())
        .anySatisfy(
            condition -> {
              assertThat(condition.type()).isEqualTo("Initialized");
              assertThat(condition.status()).isEqualTo("False");
            });
    world.settle();
    assertThat(world.services())
        .containsExactlyInAnyOrder(
            "mnist-12e8d-worker-0", "mnist-12e8d-worker-1", "mnist-12e8d-worker-2");
    world.allRun();
    world.settle();
    world.pass(Duration.ofHours(1));
    world.edit(
        World.workers(3, "OnFailure")
            + """
            torchrunConfig: {enabled: true}
            elastic: {enabled: true, minReplicas: 1, maxReplicas: 3, expectedReplicas: 2}
            """);
    world.settle();
    assertThat(world.services())
        .containsExactlyInAnyOrder("mnist-12e8d-worker-0", "mnist-12e8d-worker-1");
  }

  @Test
  void aFailedPodGivesWayToItsReplacementOfTheSameNameOnceThatIsDue() {
    World world = world("OnFailure", sameNames(), SAME_NAMES);
    String first = world.pod(WORKER + 1).uid();
    world.exit("worker", 1, 1);
    // The first restart does not wait.
    assertThat(deletions(world)).containsExactly(first);
    world.settle();
    assertThat(world.pod(WORKER + 1).earlierPods()).isEqualTo(1);
    assertThat(world.status().backoffCount()).as("counted once").isEqualTo(1);

    world.run("worker", 1);
    world.settle();
    String second = world.pod(WORKER + 1).uid();
    world.exit("worker", 1, 1);
    world.settle();
    assertThat(world.pod(WORKER + 1).uid()).as("kept for its log").isEqualTo(second);
    assertThat(world.status().backoffCount()).isEqualTo(2);
    world.pass(Duration.ofMinutes(1));
    assertThat(deletions(world)).containsExactly(second);
    world.settle();
    assertThat(world.pod(WORKER + 1).earlierPods()).isEqualTo(2);
    assertThat(world.status().backoffCount()).isEqualTo(2);
  }

  /** The pods that go at the next step that deletes any. */
  private static List<String> deletions(World world) {
    for (int i = 0; i < 5; i++) {
      List<String> deleted =
          world.step().actions().stream()
              .filter(PlannedAction.DeletePod.class::isInstance)
              .map(action -> ((PlannedAction.DeletePod) action).uid())
              .toList();
      if (!deleted.isEmpty()) {
        return deleted;
      }
    }
    return List.of();
  }

  @Test
  void aPodThatIsStillBeingDeletedKeepsItsName() {
    World world = world("OnFailure", sameNames(), SAME_NAMES);
    world.see(World.deleted(world.pod(WORKER + 2), world.now()));
    world.settle();
    assertThat(world.plan().actions()).isEmpty();
    assertThat(world.status().disruptionCount()).isEqualTo(1);
    world.vanish(WORKER + 2);
    world.settle();
    assertThat(world.pod(WORKER + 2).earlierPods()).isEqualTo(1);
    assertThat(world.status().disruptionCount()).isEqualTo(1);
  }

  @Test
  void atAPauseEndedPodsGoTooWhereTheirNamesAreUsedAgain() {
    World world = world("OnFailure", sameNames(), SAME_NAMES);
    world.exit("worker", 2, 0);
    world.settle();
    String spec =
        World.workers(3, "OnFailure") + "runPolicy: {restartScope: Replica, backoffLimit: 3}\n";
    world.edit(spec + "runMode: {pause: {enabled: true}}\n");
    world.settle();
    assertThat(world.pods()).isEmpty();
    world.edit(spec);
    world.settle();
    assertThat(world.pods().keySet()).containsExactlyInAnyOrder(WORKER + 0, WORKER + 1, WORKER + 2);
    assertThat(world.pods().values()).allMatch(pod -> pod.earlierPods() == 1);
  }

  private static World restarting(int backoffLimit) {
    return restarting(backoffLimit, Duration.ZERO);
  }

  private static World restarting(int backoffLimit, Duration failureGrace) {
    World world =
        new World(
                World.workers(3, "OnFailure")
                    + "runPolicy: {restartScope: Replica, backoffLimit: "
                    + backoffLimit
                    + "}\n",
                failureGrace)
            .like(
                traits(SuccessCriterion.MASTER, true, ServiceLayout.ONE_FOR_ALL_PODS, true),
                SAME_NAMES);
    world.settle();
    world.allRun();
    world.settle();
    return world;
  }

  /** The kubelet has started the container again, so often in all. */
  private static void kubeletRestarts(World world, int index, int times, int exitCode) {
    ObservedPod pod = world.pod(WORKER + index);
    ObservedContainer end =
        new ObservedContainer(
            "pytorch",
            false,
            ObservedContainer.State.TERMINATED,
            exitCode == 0 ? "Completed" : "Error",
            null,
            exitCode,
            null,
            world.now());
    world.see(
        World.in(
            pod,
            pod.phase(),
            List.of(
                new ObservedContainer(
                    "pytorch",
                    false,
                    ObservedContainer.State.RUNNING,
                    null,
                    null,
                    null,
                    null,
                    null,
                    times,
                    end,
                    false))));
  }

  @Test
  void restartsByTheKubeletCountOnceEachAndLimitNAllowsNOfThem() {
    World world = restarting(3);
    kubeletRestarts(world, 1, 1, 7);
    assertThat(world.settle().backoffCount()).isEqualTo(1);
    assertThat(world.settle().backoffCount()).as("counted once").isEqualTo(1);
    assertThat(world.status().lastFailure().exitCode()).isEqualTo(7);
    kubeletRestarts(world, 2, 1, 0);
    kubeletRestarts(world, 1, 2, 7);
    assertThat(world.settle().backoffCount()).isEqualTo(3);
    assertThat(world.status().phase()).isEqualTo("Running");
    assertThat(world.pods()).hasSize(3);

    kubeletRestarts(world, 1, 3, 9);
    assertThat(world.settle().phase()).isEqualTo("Failed");
    assertThat(world.status().conditions())
        .anySatisfy(
            condition -> {
              assertThat(condition.reason()).isEqualTo("BackoffLimitExceeded");
              assertThat(condition.message())
                  .contains("exit code 9", "the backoffLimit of 3 restarts is used up");
            });
  }

  /** A container has ended, and its kubelet waits before it starts it again. */
  private static void kubeletBacksOff(World world, int index, int restarts, int exitCode) {
    kubeletBacksOff(world, index, restarts, exitCode, null);
  }

  private static void kubeletBacksOff(
      World world, int index, int restarts, int exitCode, @Nullable String words) {
    ObservedPod pod = world.pod(WORKER + index);
    ObservedContainer ended =
        new ObservedContainer(
            "pytorch",
            false,
            ObservedContainer.State.TERMINATED,
            exitCode == 0 ? "Completed" : "Error",
            words,
            exitCode,
            null,
            world.now(),
            restarts,
            null,
            false);
    world.see(World.in(pod, pod.phase(), List.of(ended.backingOff())));
  }

  @Test
  void aContainerThatFailsOnceTheLimitIsUsedUpIsNotStartedAgain() {
    World world = restarting(2);
    kubeletRestarts(world, 1, 1, 7);
    kubeletBacksOff(world, 1, 1, 7);
    assertThat(world.settle().phase()).as("one more is allowed").isEqualTo("Running");
    kubeletRestarts(world, 1, 2, 7);
    assertThat(world.settle().phase()).isEqualTo("Running");
    assertThat(world.status().backoffCount()).isEqualTo(2);

    kubeletBacksOff(world, 1, 2, 9);
    assertThat(world.settle().phase()).isEqualTo("Failed");
    assertThat(world.status().backoffCount()).as("nothing was restarted").isEqualTo(2);
    assertThat(world.status().conditions())
        .anySatisfy(
            condition -> {
              assertThat(condition.reason()).isEqualTo("BackoffLimitExceeded");
              assertThat(condition.message())
                  .contains("exit code 9", "the backoffLimit of 2 restarts is used up");
            });
  }

  @Test
  void withALimitOfNothingTheFirstContainerThatFailsEndsTheJob() {
    World world = restarting(0);
    kubeletBacksOff(world, 2, 0, 1);
    assertThat(world.settle().phase()).isEqualTo("Failed");
    assertThat(world.status().backoffCount()).isZero();
    assertThat(world.status().lastFailure().pod()).isEqualTo(WORKER + 2);
  }

  @Test
  void aContainerThatIsDoneIsAFailureToNobodyAndIsNotStartedAgainOnceTheLimitIsUsedUp() {
    World world = restarting(0);
    kubeletBacksOff(world, 1, 0, 0);
    assertThat(world.settle().phase()).isEqualTo("Failed");
    assertThat(world.status().conditions())
        .anySatisfy(
            condition ->
                assertThat(condition.message())
                    .contains(
                        "a container of pod " + WORKER + "1 ended and would be started again",
                        "backoffLimit of 0"));
  }

  @Test
  void aPauseComesBeforeTheRestartThatMustNotBe() {
    World world = restarting(0);
    kubeletBacksOff(world, 1, 0, 1);
    world.edit(
        World.workers(3, "OnFailure")
            + "runPolicy: {backoffLimit: 0}\nrunMode: {pause: {enabled: true}}\n");
    world.settle();
    assertThat(world.status().completionTime()).isNull();
    assertThat(world.status().phase()).isEqualTo("Paused");
    assertThat(world.status().backoffCount()).isZero();
  }

  /** Its node says a moment later that it is done, and the kubelet starts containers at once. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void aMasterThatSucceedsInTheSameMomentMakesTheJobSucceedAndNothingIsStartedAgain(int limit) {
    World world = restarting(limit, Duration.ofSeconds(3));
    if (limit > 0) {
      kubeletRestarts(world, 1, limit, 1);
      assertThat(world.settle().phase()).isEqualTo("Running");
    }
    kubeletBacksOff(world, 1, limit, 1);
    assertThat(world.settle().phase()).isEqualTo("Running");
    assertThat(world.pods()).as("is not started again").doesNotContainKey(WORKER + 1);
    assertThat(world.pods()).containsKeys(WORKER + 0, WORKER + 2);
    assertThat(world.status().backoffCount()).isEqualTo(limit);
    world.pass(Duration.ofSeconds(1));
    assertThat(world.settle().phase()).isEqualTo("Running");
    assertThat(world.pods()).as("nothing is created any more").hasSize(2);
    world.exit("worker", 0, 0);
    assertThat(world.settle().phase()).isEqualTo("Succeeded");
  }

  /** The kubelet was faster than the operator. */
  @Test
  void aMasterThatSucceedsInTheSameMomentIsWaitedForAfterARestartTooMany() {
    World world = restarting(0, Duration.ofSeconds(3));
    kubeletRestarts(world, 1, 1, 1);
    assertThat(world.settle().phase()).isEqualTo("Running");
    assertThat(world.status().backoffCount()).isEqualTo(1);
    assertThat(world.pods()).as("its second run is stopped").doesNotContainKey(WORKER + 1);
    world.pass(Duration.ofSeconds(1));
    world.exit("worker", 0, 0);
    assertThat(world.settle().phase()).isEqualTo("Succeeded");
    assertThat(world.status().backoffCount()).isEqualTo(1);
  }

  @Test
  void theEndWaitsForTheMasterNoLongerThanTheGraceOfPlainPods() {
    World world = restarting(1, Duration.ofSeconds(3));
    kubeletRestarts(world, 1, 1, 1);
    world.settle();
    kubeletBacksOff(world, 1, 1, 1);
    world.settle();
    assertThat(world.plan().requeueAt()).isEqualTo(world.now().plusSeconds(3));
    world.pass(Duration.ofSeconds(1));
    kubeletBacksOff(world, 2, 0, 5);
    world.settle();
    assertThat(world.plan().requeueAt())
        .as("what fails meanwhile makes it no longer")
        .isEqualTo(world.now().plusSeconds(2));
    assertThat(world.pods()).containsOnlyKeys(WORKER + 0);
    world.pass(Duration.ofSeconds(2));
    assertThat(world.settle().phase()).isEqualTo("Failed");
    assertThat(world.status().lastFailure().pod()).isEqualTo(WORKER + 1);
    assertThat(world.status().backoffCount()).isEqualTo(1);
  }

  @Test
  void theEndDoesNotWaitForAMasterThatHasFailedItself() {
    World world = restarting(0, Duration.ofSeconds(3));
    kubeletBacksOff(world, 1, 0, 1);
    assertThat(world.settle().phase()).isEqualTo("Running");
    kubeletBacksOff(world, 0, 0, 1);
    assertThat(world.settle().phase()).isEqualTo("Failed");
    assertThat(world.status().lastFailure().pod()).isEqualTo(WORKER + 1);
  }

  @Test
  void theEndWaitsForTheContainerThatIsToBlameAndNotForLongerThanTheGrace() {
    World world = restarting(0, Duration.ofSeconds(10));
    kubeletBacksOff(world, 1, 0, 1, PEER_GONE);
    assertThat(world.settle().phase()).as("a peer is to blame").isEqualTo("Running");
    assertThat(world.plan().requeueAt()).isEqualTo(world.now().plusSeconds(10));
    world.pass(Duration.ofSeconds(3));
    kubeletBacksOff(world, 2, 0, 1, "ValueError: no data");
    world.settle();
    assertThat(world.status().lastFailure().pod()).isEqualTo(WORKER + 2);
    assertThat(world.plan().requeueAt()).isEqualTo(world.now().plusSeconds(7));
    world.pass(Duration.ofSeconds(7));
    assertThat(world.settle().phase()).isEqualTo("Failed");
    assertThat(world.status().lastFailure().pod()).isEqualTo(WORKER + 2);
    assertThat(world.status().backoffCount()).isZero();
  }

  @Test
  void theEndComesAfterTheGraceThoughNobodyElseIsToBlame() {
    World world = restarting(0, Duration.ofSeconds(10));
    kubeletBacksOff(world, 1, 0, 1, PEER_GONE);
    world.settle();
    world.pass(Duration.ofSeconds(10));
    assertThat(world.settle().phase()).isEqualTo("Failed");
    assertThat(world.status().lastFailure().pod()).isEqualTo(WORKER + 1);
    assertThat(world.status().backoffCount()).isZero();
  }

  @Test
  void whatAKubeletRestartsWhileTheEndWaitsIsCounted() {
    World world = restarting(0, Duration.ofSeconds(10));
    kubeletBacksOff(world, 1, 0, 1, PEER_GONE);
    ObservedPod ended = world.pod(WORKER + 1);
    assertThat(world.settle().phase()).isEqualTo("Running");
    world.see(ended);
    kubeletRestarts(world, 1, 1, 1);
    world.settle();
    assertThat(world.status().backoffCount()).isEqualTo(1);
    world.pass(Duration.ofSeconds(10));
    assertThat(world.settle().phase()).isEqualTo("Failed");
    assertThat(world.status().backoffCount()).isEqualTo(1);
  }

  @Test
  void whatTheKubeletHasRestartedStaysCountedWhenThePodIsLost() {
    World world = restarting(5);
    kubeletRestarts(world, 1, 2, 1);
    world.settle();
    world.vanish(WORKER + 1);
    world.settle();
    assertThat(world.status().backoffCount()).isEqualTo(2);
    assertThat(world.status().disruptionCount()).isEqualTo(1);
    world.run("worker", 1);
    kubeletRestarts(world, 1, 1, 1);
    assertThat(world.settle().backoffCount()).as("of the new pod").isEqualTo(3);
  }

  @Test
  void inAKindWhosePodsStayDownASidecarThatIsRestartedCostsNothing() {
    World world = world("OnFailure", traits(SuccessCriterion.MASTER), NAMES);
    kubeletRestarts(world, 1, 5, 1);
    assertThat(world.settle().backoffCount()).isZero();
  }

  @Test
  void theFirstOfSeveralContainersThatFailedIsToBlame() {
    World world = restarting(1);
    kubeletRestarts(world, 2, 1, 1);
    ObservedPod early = world.pod(WORKER + 2);
    world.pass(Duration.ofSeconds(5));
    kubeletRestarts(world, 1, 1, 9);
    world.see(early);
    assertThat(world.settle().phase()).isEqualTo("Failed");
    assertThat(world.status().lastFailure().pod()).isEqualTo(WORKER + 2);
  }

  @Test
  void aPodOnALostNodeKeepsItsNameUntilItIsGone() {
    World world = world("OnFailure", sameNames(), SAME_NAMES);
    ObservedPod lost = world.pod(WORKER + 1).lost(world.now());
    world.see(lost);
    world.pass(Duration.ofMinutes(1));
    world.step();
    world.see(lost.beingDeleted());
    assertThat(world.plan().actions())
        .as("no kubelet says that it has ended")
        .contains(new PlannedAction.DeletePod(lost.name(), lost.uid(), true))
        .noneMatch(PlannedAction.CreatePod.class::isInstance);
    world.vanish(WORKER + 1);
    world.settle();
    assertThat(world.pod(WORKER + 1).earlierPods()).isEqualTo(1);
  }

  @Test
  void anEndedPodWhoseKubeletIsLostGivesItsNameAway() {
    World world = world("OnFailure", sameNames(), SAME_NAMES);
    world.exit("worker", 1, 1);
    ObservedPod ended = World.deleted(world.pod(WORKER + 1), world.now().plusSeconds(1));
    world.see(ended);
    assertThat(world.plan().actions())
        .as("its kubelet is about to let it go")
        .noneMatch(PlannedAction.DeletePod.class::isInstance);
    world.see(ended.lost(world.now()));
    assertThat(world.plan().actions())
        .contains(new PlannedAction.DeletePod(ended.name(), ended.uid(), true));
  }

  @Test
  void aPodThatComesLateToALostNodeWhileTheJobIsPausedGoesAfterTheGrace() {
    World world = world("OnFailure", sameNames(), SAME_NAMES);
    ObservedPod late = World.deleted(world.pod(WORKER + 1), world.now()).lost(world.now());
    world.edit(World.workers(3, "OnFailure") + "runMode: {pause: {enabled: true}}\n");
    world.settle();
    world.see(late);
    assertThat(world.plan().actions()).isEmpty();
    assertThat(world.plan().requeueAt()).isEqualTo(world.now().plusSeconds(30));
    world.pass(Duration.ofSeconds(30));
    assertThat(world.plan().actions())
        .contains(new PlannedAction.DeletePod(late.name(), late.uid(), true));
    assertThat(world.plan().requeueAt()).isNull();
  }

  @Test
  void atAPauseAndAtCleanUpTheServicesOfReplicasLeaveWithTheirPods() {
    World world =
        new World(World.workers(2, "OnFailure"))
            .like(
                traits(SuccessCriterion.MASTER, true, ServiceLayout.ONE_PER_REPLICA, false),
                SAME_NAMES);
    world.settle();
    world.allRun();
    world.settle();
    assertThat(world.services()).hasSize(2);
    world.edit(World.workers(2, "OnFailure") + "runMode: {pause: {enabled: true}}\n");
    world.settle();
    assertThat(world.services()).isEmpty();
    world.edit(World.workers(2, "OnFailure"));
    world.settle();
    assertThat(world.services()).hasSize(2);

    world.allRun();
    world.exit("worker", 0, 0);
    world.settle();
    world.pass(Duration.ofMinutes(1));
    world.settle();
    assertThat(world.status().phase()).isEqualTo("Succeeded");
    assertThat(world.services())
        .as("that of the pod that was kept")
        .containsExactly("mnist-12e8d-worker-0");
  }
}
