package dev.tensorstack.training.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.model.TrainingReport;
import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.core.observe.PodNotes;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobStatus;
import dev.tensorstack.training.world.World;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** A training that hangs is told, or started anew; nothing else passes for a hang. */
class HangsTest {

  private static final String LIMITS = "startSeconds: 600, stallSeconds: 60, failOnNaN: 2";

  private static World running(int pods, String policy, String more) {
    World world =
        new World(
            World.workers(pods, "Never") + "runPolicy: {" + more + "progress: {" + policy + "}}\n");
    world.settle();
    startAll(world, pods);
    return world;
  }

  private static void startAll(World world, int pods) {
    world.allRun();
    for (int index = 0; index < pods; index++) {
      world.restarted("worker", index);
    }
    world.settle();
  }

  private static void report(World world, String step, String loss) {
    int attempt = Objects.requireNonNull(world.status().attempt());
    world.note(
        PodNotes.NONE.with(
            List.of(
                new TrainingReport(
                    attempt,
                    null,
                    null,
                    List.of(
                        new TrainingReport.Metric("step", step),
                        new TrainingReport.Metric("loss", loss)),
                    world.now())),
            null));
    world.settle();
  }

  private static void pass(World world, int seconds) {
    world.pass(Duration.ofSeconds(seconds));
    world.settle();
  }

  private static String reason(World world) {
    return Objects.requireNonNull(Objects.requireNonNull(world.status().columns()).reason());
  }

  @Test
  void aReportIsInTheStatus() {
    World world = running(2, LIMITS, "");
    pass(world, 1);
    report(world, "12", "0.5");

    assertThat(Objects.requireNonNull(world.status().training()).step()).isEqualTo("12");
  }

  @Test
  void byDefaultAHangIsToldAndTheJobGoesOn() {
    World world = running(2, LIMITS, "");
    pass(world, 1);
    report(world, "12", "0.5");
    pass(world, 59);
    assertThat(reason(world)).isEqualTo("-");

    pass(world, 1);

    PyTorchTrainingJobStatus status = world.status();
    assertThat(status.phase()).isEqualTo("Running");
    assertThat(reason(world)).isEqualTo("NoProgress");
    assertThat(Objects.requireNonNull(Objects.requireNonNull(status.training()).problem()).reason())
        .isEqualTo("NoProgress");
    assertThat(status.backoffCount()).isZero();
    assertThat(world.pods().values()).allMatch(ObservedPod::live);
  }

  @Test
  void itIsOverWithTheNextStep() {
    World world = running(2, LIMITS, "");
    pass(world, 1);
    report(world, "12", "0.5");
    pass(world, 100);
    report(world, "13", "0.5");

    assertThat(reason(world)).isEqualTo("-");
    assertThat(Objects.requireNonNull(world.status().training()).problem()).isNull();
  }

  @Test
  void thePlannerWakesAtTheLimit() {
    World world = running(2, LIMITS, "");
    pass(world, 1);
    report(world, "12", "0.5");

    assertThat(world.plan().requeueAt()).isEqualTo(world.now().plusSeconds(60));
  }

  @Test
  void aRestartEndsThePodsInPlaceAndStartsAllAnewWhateverTheRestartPolicy() {
    World world = running(2, LIMITS + ", onFailure: Restart", "");
    pass(world, 1);
    report(world, "12", "0.5");
    pass(world, 60);

    assertThat(world.status().attempt()).isEqualTo(1);
    assertThat(world.status().backoffCount()).isEqualTo(1);
    assertThat(Objects.requireNonNull(world.status().lastFailure()).reason())
        .isEqualTo("NoProgress");
    assertThat(world.status().lastFailure().cause()).isEqualTo("Application");
    assertThat(world.pod("mnist-12e8d-worker-0").phase())
        .as("its log stays")
        .isEqualTo(ObservedPod.Phase.FAILED);
    assertThat(world.pods()).containsKeys("mnist-12e8d-worker-0-r1", "mnist-12e8d-worker-1-r1");
    startAll(world, 2);
    assertThat(reason(world)).isEqualTo("-");
  }

  @Test
  void thePodsAreAskedToEndFirstAndDeletedOnlyWhenTheyDoNot() {
    World world = running(2, LIMITS + ", onFailure: Restart", "");
    pass(world, 1);
    report(world, "12", "0.5");
    world.podsEndSlowly();
    world.pass(Duration.ofSeconds(60));

    Plan asked = world.step();
    assertThat(asked.actions())
        .hasSize(2)
        .allMatch(action -> action instanceof PlannedAction.EndPod);
    assertThat(asked.stage()).isEqualTo(Plan.Stage.RESTARTING);
    assertThat(world.plan().requeueAt()).isEqualTo(world.now().plusSeconds(45));

    world.pass(Duration.ofSeconds(44));
    assertThat(world.step().actions()).allMatch(action -> action instanceof PlannedAction.EndPod);
    world.pass(Duration.ofSeconds(1));
    assertThat(world.step().actions())
        .hasSize(2)
        .allMatch(action -> action instanceof PlannedAction.DeletePod);
  }

  @Test
  void aNewAttemptHasItsFullTimeAgain() {
    World world = running(2, LIMITS + ", onFailure: Restart", "");
    pass(world, 1);
    report(world, "12", "0.5");
    pass(world, 60);
    startAll(world, 2);

    pass(world, 599);
    assertThat(world.status().attempt()).isEqualTo(1);
    pass(world, 1);
    assertThat(world.status().attempt()).isEqualTo(2);
    assertThat(world.status().backoffCount()).isEqualTo(2);
  }

  @Test
  void whenTheBudgetIsUsedUpTheJobFailsAndItsPodsEndInPlaceToo() {
    World world =
        running(2, LIMITS + ", onFailure: Restart", "backoffLimit: 0, cleanUpPolicy: None, ");
    pass(world, 600);

    assertThat(world.status().phase()).isEqualTo("Failed");
    assertThat(reason(world)).isEqualTo("BackoffLimitExceeded");
    assertThat(world.pods().values())
        .hasSize(2)
        .allMatch(pod -> pod.phase() == ObservedPod.Phase.FAILED);
  }

  @Test
  void lossesThatAreNoNumberAreToldAndRestarted() {
    World told = running(1, "failOnNaN: 2", "");
    pass(told, 1);
    report(told, "1", "nan");
    assertThat(reason(told)).isEqualTo("-");
    pass(told, 1);
    report(told, "2", "nan");
    assertThat(reason(told)).isEqualTo("NotANumber");

    World restarted = running(1, "failOnNaN: 1, onFailure: Restart", "");
    pass(restarted, 1);
    report(restarted, "1", "inf");
    assertThat(restarted.status().attempt()).isEqualTo(1);
    assertThat(Objects.requireNonNull(restarted.status().lastFailure()).reason())
        .isEqualTo("NotANumber");
  }

  @Test
  void noClockRunsWhileAPodIsMissing() {
    World world =
        new World(World.workers(2, "Never") + "runPolicy: {progress: {startSeconds: 5}}\n");
    world.settle();
    world.run("worker", 0);
    world.restarted("worker", 0);
    world.settle();

    pass(world, 1_000);

    assertThat(reason(world)).isNotEqualTo("NoProgress");
  }

  @Test
  void noClockRunsWhileTheJobIsDebuggedOrPaused() {
    World world = running(1, "startSeconds: 5", "");
    world.edit(
        World.workers(1, "Never")
            + "runPolicy: {progress: {startSeconds: 5}}\nrunMode: {debug: {enabled: true}}\n");
    world.settle();
    startAll(world, 1);
    pass(world, 1_000);
    assertThat(reason(world)).isEqualTo("Debugging");

    world.edit(
        World.workers(1, "Never")
            + "runPolicy: {progress: {startSeconds: 5}}\nrunMode: {pause: {enabled: true}}\n");
    world.settle();
    pass(world, 1_000);
    assertThat(world.status().phase()).isEqualTo("Paused");
    assertThat(world.status().training()).isNull();
  }

  @Test
  void withoutLimitsNothingIsJudged() {
    World world = new World(World.workers(1, "Never"));
    world.settle();
    startAll(world, 1);
    pass(world, 100_000);

    assertThat(reason(world)).isEqualTo("-");
  }

  @Test
  void aProblemIsNotToldOfAJobThatStops() {
    World world = running(1, "startSeconds: 5", "");
    pass(world, 10);
    assertThat(reason(world)).isEqualTo("NoProgress");

    world.exit("worker", 0, 0);
    world.settle();

    assertThat(world.status().phase()).isEqualTo("Succeeded");
    assertThat(world.status().training()).isNull();
  }
}
