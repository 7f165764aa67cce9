package dev.tensorstack.training.core.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.observe.Observation;
import dev.tensorstack.training.core.plan.Plan;
import dev.tensorstack.training.kind.trainingjob.v1beta1.LastFailure;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobStatus;
import dev.tensorstack.training.world.World;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class EventReportTest {

  /** The events of the next step, as {@code reason/attempt}. */
  private static List<String> next(World world) {
    Observation seen = world.observe();
    Plan plan = world.plan();
    List<String> events =
        EventReport.between(seen, JobReport.of(seen, plan)).stream()
            .map(event -> (event.warning() ? "!" : "") + event.reason() + "/" + event.attempt())
            .toList();
    world.step();
    return events;
  }

  @Test
  void aPlainSuccessTellsItsStory() {
    World world = new World(World.workers(2, "Never"));
    assertThat(next(world)).containsExactly("Created/0");
    world.settle();
    world.allRun();
    assertThat(next(world)).containsExactly("Start/0", "Running/0");
    assertThat(next(world)).isEmpty();
    world.exit("worker", 0, 0);
    assertThat(next(world)).containsExactly("Succeeded/0");
    world.settle();
    assertThat(next(world)).isEmpty();
  }

  @Test
  void aRestartNamesTheFailureInItsAttemptAndTheRestartInTheNext() {
    World world = new World(World.workers(2, "OnFailure"));
    world.settle();
    world.allRun();
    world.settle();
    world.exit("worker", 1, 1);
    assertThat(next(world)).containsExactly("!ReplicaFailed/0", "Restarting/1", "NewReplica/1");
    world.settle();
    world.allRun();
    assertThat(next(world)).containsExactly("Start/1", "Running/1");
  }

  @Test
  void aReplacementIsToldWhenItIsMadeAndNotWhenItIsDecidedOn() {
    World world = new World(World.workers(2, "OnFailure") + "runPolicy: {restartScope: Replica}\n");
    world.settle();
    world.allRun();
    world.settle();
    world.exit("worker", 1, 1);
    world.settle();
    world.allRun();
    world.settle();
    world.exit("worker", 1, 1);
    assertThat(next(world)).contains("Restarting/0").doesNotContain("NewReplica/0");
    world.settle();
    world.pass(java.time.Duration.ofSeconds(10));
    world.step();
    assertThat(next(world)).containsExactly("NewReplica/0");
  }

  @Test
  void aFailureWarnsOfPodAndJob() {
    World world = new World(World.workers(2, "Never"));
    world.settle();
    world.allRun();
    world.settle();
    world.exit("worker", 1, 3);

    assertThat(next(world)).containsExactly("!ReplicaFailed/0", "!Failed/0");
  }

  @Test
  void aPauseAndAResumeAreTold() {
    World world = new World(World.workers(2, "Never") + "runMode: {pause: {enabled: true}}\n");
    assertThat(next(world)).containsExactly("Paused/0");
    world.edit(World.workers(2, "Never") + "runMode: {pause: {enabled: false}}\n");
    assertThat(next(world)).contains("Resumed/0", "Created/0");
  }

  @Test
  void whatSomebodyHasEditedInTheLastFailureIsNoOtherFailure() {
    World world = new World(World.workers(2, "OnFailure"));
    world.settle();
    world.allRun();
    world.exit("worker", 1, 3);
    world.settle();
    LastFailure last = Objects.requireNonNull(world.status().lastFailure());
    world.store(
        Serialization.asJson(world.status())
            .replace("\"time\":\"" + last.time(), "\"time\":\"yesterday")
            .replace("\"Application\"", "\"Nobody\""));

    assertThat(next(world)).doesNotContain("!ReplicaFailed/0", "!ReplicaFailed/1");
    world.step();
    PyTorchTrainingJobStatus written = world.status();
    world.step();
    assertThat(world.status()).isEqualTo(written);
  }
}
