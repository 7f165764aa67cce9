package dev.tensorstack.training.kind.trainingjob;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.observe.ObjectWrite;
import dev.tensorstack.training.core.observe.Observation;
import dev.tensorstack.training.core.observe.WriteFailure;
import dev.tensorstack.training.core.report.JobReport;
import dev.tensorstack.training.kind.trainingjob.v1beta1.JobCondition;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobStatus;
import dev.tensorstack.training.world.World;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What kstatus and the tools that follow it read: Reconciling, Stalled and Succeeded. */
class ConditionRenderingTest {

  private static final String TWO = World.workers(2, "Never");

  private static World running(String spec) {
    World world = new World(spec);
    world.settle();
    world.allRun();
    world.settle();
    return world;
  }

  /** The types of the three that are True, with their reasons. */
  private static List<String> told(World world) {
    return world.status().conditions().stream()
        .filter(one -> List.of("Reconciling", "Stalled", "Succeeded").contains(one.type()))
        .filter(one -> "True".equals(one.status()))
        .map(one -> one.type() + " " + one.reason())
        .toList();
  }

  private static String message(World world, String type) {
    return world.status().conditions().stream()
        .filter(one -> one.type().equals(type))
        .map(JobCondition::message)
        .collect(Collectors.joining());
  }

  @Test
  void aJobThatGetsItsPodsIsReconciling() {
    World world = new World(TWO);
    world.settle();

    assertThat(told(world)).containsExactly("Reconciling NotFinished");
    assertThat(message(world, "Reconciling")).isEqualTo("0 of 2 pods run");
  }

  @Test
  void aJobThatRunsIsNeither() {
    World world = running(TWO);

    assertThat(told(world)).isEmpty();
    assertThat(message(world, "Reconciling") + message(world, "Stalled")).isEmpty();
  }

  @Test
  void aJobThatRestartsIsReconciling() {
    World world = running(World.workers(2, "OnFailure"));
    world.exit("worker", 1, 1);
    world.settle();

    assertThat(told(world)).containsExactly("Reconciling Restarting");
  }

  @Test
  void aJobThatStopsForAPauseIsReconcilingAndOneThatIsPausedIsNot() {
    World world = running(TWO);
    world.podsEndSlowly();
    world.edit(TWO + "runMode: {pause: {enabled: true}}\n");
    world.step();
    assertThat(told(world)).containsExactly("Reconciling Paused");

    World paused = running(TWO);
    paused.edit(TWO + "runMode: {pause: {enabled: true}}\n");
    paused.settle();
    assertThat(paused.status().phase()).isEqualTo("Paused");
    assertThat(told(paused)).isEmpty();

    paused.edit(TWO);
    paused.settle();
    assertThat(told(paused)).containsExactly("Reconciling Resuming");
  }

  @Test
  void aJobThatEndedWellHasSucceeded() {
    World world = running(TWO);
    world.exit("worker", 0, 0);
    world.exit("worker", 1, 0);
    world.pass(Duration.ofMinutes(1));
    world.settle();

    assertThat(told(world)).containsExactly("Succeeded Succeeded");
  }

  @Test
  void aJobThatFailedIsStalledAndSaysWhy() {
    World world = running(TWO);
    world.exit("worker", 1, 3);
    world.pass(Duration.ofMinutes(1));
    world.settle();

    assertThat(told(world)).containsExactly("Stalled ReplicaFailed");
    assertThat(message(world, "Stalled")).contains("exit code 3");
  }

  @ParameterizedTest
  @CsvSource({
    "FORBIDDEN, Stalled PodRejected",
    "NAME_TAKEN, Stalled PodRejected",
    "INVALID, Stalled InvalidSpec",
    "QUOTA, Reconciling QuotaExceeded",
    "TRANSIENT, Reconciling NotFinished"
  })
  void aRefusalThatOnlyAPersonCanMendIsStalled(WriteFailure.Kind kind, String expected) {
    World world = new World(TWO);
    world.refuse(
        new WriteFailure(
            ObjectWrite.pod("mnist-12e8d-worker-0"), kind, "…", world.now().plusSeconds(60)));
    world.settle();

    assertThat(told(world)).containsExactly(expected);
  }

  @Test
  void whatAnEarlierVersionDidNotSayOfAnEndedJobIsSoSinceItsEnd() {
    World world = running(TWO);
    world.exit("worker", 0, 0);
    world.exit("worker", 1, 0);
    world.pass(Duration.ofMinutes(1));
    world.settle();
    PyTorchTrainingJobStatus status = world.status();
    List<JobCondition> six = status.conditions().subList(0, 6);
    world.pass(Duration.ofDays(30));
    Observation seen = world.observe();

    List<JobCondition> nine =
        ConditionRendering.of(JobReport.of(seen, world.plan(seen)), six, world.now());

    assertThat(nine).hasSize(9);
    assertThat(nine.subList(6, 9))
        .extracting(JobCondition::lastTransitionTime)
        .containsOnly(status.completionTime());
  }
}
