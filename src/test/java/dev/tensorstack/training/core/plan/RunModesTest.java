package dev.tensorstack.training.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.model.RunModeKind;
import dev.tensorstack.training.core.observe.ObjectWrite;
import dev.tensorstack.training.core.observe.Observation;
import dev.tensorstack.training.core.observe.ObservedContainer;
import dev.tensorstack.training.core.observe.ObservedDependents;
import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.core.observe.RefusedWrites;
import dev.tensorstack.training.core.observe.WriteFailure;
import dev.tensorstack.training.core.policy.DisruptionDelay;
import dev.tensorstack.training.core.policy.RestartDelay;
import dev.tensorstack.training.core.report.EventReport;
import dev.tensorstack.training.core.report.JobEvent;
import dev.tensorstack.training.core.report.JobReport;
import dev.tensorstack.training.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Pause, resume and debug as the planner sees them. */
class RunModesTest {

  private static final String TWO = World.workers(2, "OnFailure");
  private static final String PAUSE = "runMode: {pause: {enabled: true}}\n";
  private static final String DEBUG = "runMode: {debug: {enabled: true}}\n";

  private static World running(String spec) {
    World world = new World(spec);
    world.settle();
    world.allRun();
    world.settle();
    return world;
  }

  private static List<String> live(World world) {
    return world.pods().values().stream()
        .filter(ObservedPod::live)
        .map(pod -> pod.name().substring("mnist-12e8d-worker-".length()) + " " + pod.mode())
        .toList();
  }

  private static ObservedPod ended(ObservedPod pod, @Nullable Instant deleted, Instant finished) {
    return new ObservedPod(
        pod.name(),
        pod.uid(),
        pod.replica(),
        pod.earlierPods(),
        pod.attempt(),
        pod.mode(),
        ObservedPod.Phase.SUCCEEDED,
        deleted != null,
        deleted,
        pod.node(),
        null,
        pod.createdAt(),
        null,
        null,
        null,
        false,
        null,
        null,
        List.of(
            new ObservedContainer(
                "pytorch",
                false,
                ObservedContainer.State.TERMINATED,
                "Completed",
                null,
                0,
                null,
                finished)),
        null,
        null,
        null,
        Map.of());
  }

  @Test
  void aPauseStopsWhatRunsAndIsPausedWhenItIsGone() {
    World world = running(TWO);
    ObservedPod slow = world.pod("mnist-12e8d-worker-1");
    world.edit(TWO + PAUSE);
    world.step();
    assertThat(world.status().phase()).isEqualTo("Running");
    assertThat(world.status().columns().reason()).isEqualTo("Paused");
    world.see(slow.beingDeleted());
    assertThat(world.settle().phase()).isEqualTo("Running");

    world.vanish(slow.name());
    assertThat(world.settle().phase()).isEqualTo("Paused");
    assertThat(world.status().backoffCount()).isZero();
    assertThat(world.status().disruptionCount()).isZero();
  }

  @Test
  void aPauseThatIsTakenBackIsCarriedThroughAndLookedAtAgainAtOnce() {
    World world = running(TWO);
    world.edit(TWO + PAUSE);
    world.step();
    world.edit(TWO);
    Plan gone = world.step();
    assertThat(world.status().phase()).isEqualTo("Paused");
    assertThat(gone.requeueAt()).isEqualTo(world.now());

    world.settle();
    assertThat(world.status().phase()).isEqualTo("Resuming");
    assertThat(live(world)).containsExactly("0-r1 RESUME", "1-r1 RESUME");
  }

  @Test
  void atResumeAllReplicasAreCreatedAgainAlsoThoseThatWereDone() {
    World world = running(TWO);
    world.exit("worker", 1, 0);
    world.settle();
    world.edit(TWO + PAUSE);
    world.settle();
    assertThat(world.pods()).containsOnlyKeys("mnist-12e8d-worker-1");

    world.edit(TWO);
    world.settle();
    assertThat(live(world)).containsExactly("0-r1 RESUME", "1-r1 RESUME");
    assertThat(world.pods()).containsKey("mnist-12e8d-worker-1");
  }

  @Test
  void aPauseKeepsTheCountsAndEndsTheDelayOfARestart() {
    World world = running(TWO);
    for (int i = 0; i < 2; i++) {
      world.exit("worker", 1, 1);
      world.settle();
      world.allRun();
      world.settle();
    }
    assertThat(live(world)).isEmpty();
    world.edit(TWO + PAUSE);
    world.settle();
    assertThat(world.status().phase()).isEqualTo("Paused");
    assertThat(world.plan().requeueAt()).isNull();
    world.edit(TWO);
    world.settle();

    assertThat(world.status().backoffCount()).isEqualTo(2);
    assertThat(world.status().attempt()).isEqualTo(2);
    assertThat(live(world)).hasSize(2);
  }

  @Test
  void aFailureAndAPauseInOneMomentCountTheFailure() {
    World world = running(TWO);
    world.exit("worker", 1, 1);
    world.edit(TWO + PAUSE);
    world.settle();

    assertThat(world.status().phase()).isEqualTo("Paused");
    assertThat(world.status().backoffCount()).isEqualTo(1);
    assertThat(live(world)).isEmpty();
  }

  @Test
  void aMasterThatSucceededBeforeThePauseHasSucceeded() {
    World world = running(TWO);
    world.exit("worker", 0, 0);
    world.edit(TWO + PAUSE);

    assertThat(world.settle().phase()).isEqualTo("Succeeded");
    assertThat(world.status().conditions().get(5).status()).isEqualTo("False");
  }

  /** Training that saves its state at SIGTERM and exits with 0 within the second. */
  @ParameterizedTest
  @CsvSource({"-1, Succeeded", "0, Paused", "1, Paused"})
  void aMasterThatExitsWith0BecauseOfAPauseHasNotSucceeded(long afterDeletion, String phase) {
    World world = running(TWO);
    ObservedPod master = world.pod("mnist-12e8d-worker-0");
    world.edit(TWO + PAUSE);
    world.step();
    world.see(ended(master, world.now(), world.now().plusSeconds(afterDeletion)));

    assertThat(world.settle().phase()).isEqualTo(phase);
  }

  @Test
  void aUsedUpQuotaDoesNotKeepPodsFromBeingStopped() {
    World world = running(TWO);
    world.vanish("mnist-12e8d-worker-1");
    world.edit(TWO + PAUSE);
    world.refuse(
        new WriteFailure(
            ObjectWrite.pod("mnist-12e8d-worker-1"),
            WriteFailure.Kind.QUOTA,
            "exceeded quota",
            world.now().plusSeconds(60)));
    world.settle();

    assertThat(world.status().phase()).isEqualTo("Paused");
    assertThat(world.status().conditions().get(2).status()).isEqualTo("False");
  }

  @Test
  void aRefusedDeletionHoldsBackDeletionsOnly() {
    World world = running(TWO);
    world.edit(TWO + PAUSE);
    world.refuse(
        new WriteFailure(
            ObjectWrite.podDeletion("mnist-12e8d-worker-0"),
            WriteFailure.Kind.FORBIDDEN,
            "no",
            world.now().plusSeconds(60)));
    Plan plan = world.step();

    assertThat(plan.actions()).isEmpty();
    assertThat(plan.requeueAt()).isEqualTo(world.now().plusSeconds(60));
  }

  @Test
  void anEarlierRefusalIsNoEventOfAPauseOrAnEnd() {
    for (String change : new String[] {"pause", "success"}) {
      World world = running(TWO);
      world.refuse(
          new WriteFailure(
              ObjectWrite.pod("mnist-12e8d-worker-1"),
              WriteFailure.Kind.FORBIDDEN,
              "no",
              world.now().plusSeconds(1)));
      if (change.equals("pause")) {
        world.edit(TWO + PAUSE);
      } else {
        world.exit("worker", 0, 0);
      }
      Observation seen = world.observe();

      assertThat(EventReport.between(seen, JobReport.of(seen, world.plan())))
          .as(change)
          .extracting(JobEvent::reason)
          .doesNotContain("CreateFailed");
    }
  }

  @Test
  void debugIsANewAttemptThatCostsNothing() {
    World world = running(TWO);
    world.edit(TWO + DEBUG);
    world.settle();
    assertThat(live(world)).containsExactly("0-r1 DEBUG", "1-r1 DEBUG");
    assertThat(world.status().attempt()).isEqualTo(1);
    world.allRun();
    assertThat(world.settle().columns().reason()).isEqualTo("Debugging");

    world.edit(TWO);
    world.settle();
    assertThat(live(world)).containsExactly("0-r2 TRAIN", "1-r2 TRAIN");
    assertThat(world.status().attempt()).isEqualTo(2);
    assertThat(world.status().backoffCount()).isZero();
    assertThat(world.status().disruptionCount()).isZero();
    assertThat(world.status().tasks().get(0).restartCount()).isZero();
    assertThat(world.status().lastFailure()).isNull();
  }

  @Test
  void aSwitchIsNoFailureOfAReplica() {
    World world = running(TWO);
    world.edit(TWO + DEBUG);
    world.step();

    assertThat(world.status().conditions().get(2).type()).isEqualTo("ReplicaFailure");
    assertThat(world.status().conditions().get(2).status()).isEqualTo("False");
  }

  @Test
  void debugThatIsSwitchedWhilePausedIsNoAttempt() {
    World world = running(TWO);
    world.edit(TWO + PAUSE);
    world.settle();
    world.edit(TWO + "runMode: {pause: {enabled: true}, debug: {enabled: true}}\n");
    world.settle();
    assertThat(world.status().phase()).isEqualTo("Paused");
    world.edit(TWO + DEBUG);
    world.settle();

    assertThat(live(world)).containsExactly("0-r1 DEBUG", "1-r1 DEBUG");
    assertThat(world.status().attempt()).isZero();
  }

  @ParameterizedTest
  @CsvSource({"0", "1", "137"})
  void whatEndsInDebugModeCostsNothingAndComesBack(int exitCode) {
    World world = running(TWO + DEBUG);
    for (int index = 0; index <= 1; index++) {
      world.exit("worker", index, exitCode);
    }
    world.settle();
    assertThat(live(world)).containsExactly("0-r1 DEBUG", "1-r1 DEBUG");
    world.allRun();
    assertThat(world.settle().columns().reason()).isEqualTo("Debugging");
    assertThat(world.status().attempt()).isZero();
    assertThat(world.status().backoffCount()).isZero();
    assertThat(world.status().disruptionCount()).isZero();
    assertThat(world.status().tasks().get(0).restartCount()).isZero();

    // Not in a circle: the next one waits.
    world.exit("worker", 1, exitCode);
    world.settle();
    assertThat(live(world)).containsExactly("0-r1 DEBUG");
    assertThat(world.status().phase()).as("the other one can be looked at").isEqualTo("Running");
    assertThat(world.status().columns().reason()).isEqualTo("Debugging");
    world.pass(Duration.ofSeconds(10));
    world.settle();
    assertThat(live(world)).containsExactly("0-r1 DEBUG", "1-r2 DEBUG");
  }

  @Test
  void aDebugPodThatSomebodyDeletesComesBackAtOnce() {
    World world = running(TWO + DEBUG);
    for (int i = 0; i < 3; i++) {
      world.vanish("mnist-12e8d-worker-1" + (i == 0 ? "" : "-r" + i));
      world.settle();
      world.allRun();
      world.settle();
    }
    assertThat(live(world)).containsExactly("0 DEBUG", "1-r3 DEBUG");
    assertThat(world.status().disruptionCount()).isZero();
  }

  /** The switch comes while the creation of worker-1 is under way. */
  @Test
  void aPodThatIsBeingCreatedIsWaitedForBeforeItsReplacement() {
    World world = new World(TWO);
    world.step();
    ObservedPod late = world.pod("mnist-12e8d-worker-1");
    world.vanish(late.name());
    world.edit(TWO + DEBUG);
    Planner planner =
        new Planner(
            new PlanSettings(
                new RestartDelay(Duration.ofSeconds(10), Duration.ofMinutes(5)),
                Duration.ofSeconds(30),
                Duration.ofSeconds(30),
                Duration.ofSeconds(10),
                Duration.ZERO,
                new DisruptionDelay(Duration.ofSeconds(30))));
    Observation first = creating(world, late.name());
    Plan switching = planner.plan(first, List.of(), world.now());
    assertThat(switching.ledger().mode()).isEqualTo(RunModeKind.DEBUG);
    assertThat(switching.actions()).singleElement().isInstanceOf(PlannedAction.DeletePod.class);
    assertThat(switching.stage()).isEqualTo(Plan.Stage.RESTARTING);
  }

  /** Its creation was sent by an operator that was killed before anybody switched. */
  @Test
  void aPodThatTrainsAndComesLateTakesNoPlaceInADebugJob() {
    World world = new World(TWO);
    world.step();
    ObservedPod late = world.pod("mnist-12e8d-worker-1");
    world = new World(TWO + DEBUG);
    world.settle();
    assertThat(world.pods()).containsKey(late.name());
    world.see(late);
    world.settle();
    assertThat(live(world)).containsExactly("0 DEBUG", "1-r1 DEBUG");
  }

  private static Observation creating(World world, String name) {
    return new Observation(
        world.job(),
        List.copyOf(world.pods().values()),
        world.observe().services(),
        Set.of(name),
        RefusedWrites.NONE,
        ObservedDependents.NONE);
  }

  /** The pod of before the pause is on a lost node, and there for ever. */
  @Test
  void theStartAfterAResumeIsThatOfTheNewPods() {
    World world = running(TWO);
    ObservedPod lost = world.pod("mnist-12e8d-worker-1");
    world.edit(TWO + PAUSE);
    world.step();
    world.see(lost.beingDeleted().lost(world.now()));
    world.pass(Duration.ofSeconds(30));
    world.settle();
    assertThat(world.status().phase()).isEqualTo("Paused");
    world.pass(Duration.ofHours(1));
    world.edit(TWO);
    world.settle();

    assertThat(live(world)).containsExactly("0-r1 RESUME", "1-r1 RESUME");
    assertThat(world.status().startTime()).isEqualTo(world.now().toString());
  }
}
