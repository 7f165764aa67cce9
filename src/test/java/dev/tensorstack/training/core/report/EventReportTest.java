package dev.tensorstack.training.core.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.model.GangFacts;
import dev.tensorstack.training.core.naming.ObjectKind;
import dev.tensorstack.training.core.observe.ObjectWrite;
import dev.tensorstack.training.core.observe.Observation;
import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.core.observe.WriteFailure;
import dev.tensorstack.training.core.plan.Plan;
import dev.tensorstack.training.kind.trainingjob.v1beta1.LastFailure;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobStatus;
import dev.tensorstack.training.world.World;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
    assertThat(next(world)).containsExactly("Running/0");
    assertThat(next(world)).isEmpty();
    world.exit("worker", 0, 0);
    assertThat(next(world)).containsExactly("Succeeded/0");
    world.settle();
    assertThat(next(world)).isEmpty();
  }

  @Test
  void aJobOfWhichSomePodsRunStartsAndOneOfWhichAllRunAtOnceJustRuns() {
    World world = new World(World.workers(2, "Never"));
    world.settle();
    world.run("worker", 0);
    assertThat(next(world)).containsExactly("Start/0");
    world.allRun();
    assertThat(next(world)).containsExactly("Running/0");
  }

  /** The scheduler says of pods that they have no node; why, only its queue says. */
  @Test
  void whatTheQueueOfAWaitingGangLacksIsToldOnceItIsKnown() {
    World world =
        new World(World.workers(2, "Never") + "scheduler: {volcano: {queue: research}}\n");
    world.serve(new ObjectKind("scheduling.volcano.sh", "v1beta1", "PodGroup", "podgroups"));
    world.settle();
    world.dependents().values().stream()
        .filter(object -> object.getKind().equals("PodGroup"))
        .forEach(
            group ->
                World.write(
                    group,
                    Map.of(
                        "phase",
                        "Inqueue",
                        "conditions",
                        List.of(Map.of("type", "Unschedulable", "status", "True")))));
    world.settle();
    for (ObservedPod pod : List.copyOf(world.pods().values())) {
      world.see(World.unschedulable(pod, "pod group is not ready"));
    }
    assertThat(next(world)).containsExactly("!Unschedulable/0");
    for (String state : List.of("Closed", "Closing")) {
      world.say(
          new GangFacts(
              Map.of("research", new GangFacts.Queue(state, Map.of())), List.of(), false));
      assertThat(next(world)).as(state).containsExactly("!Unschedulable/0");
      assertThat(next(world)).as("and only once").isEmpty();
    }
  }

  @Test
  void aRestartNamesTheFailureInItsAttemptAndTheRestartInTheNext() {
    World world = new World(World.workers(2, "OnFailure"));
    world.settle();
    world.allRun();
    world.settle();
    world.exit("worker", 1, 1);
    assertThat(next(world)).containsExactly("!ReplicaFailed/0", "Restarting/1");
    assertThat(next(world)).as("the pods of before are gone").isEmpty();
    assertThat(next(world)).as("those of the attempt exist").containsExactly("NewReplica/1");
    world.settle();
    world.allRun();
    assertThat(next(world)).containsExactly("Running/1");
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
    world.pass(Duration.ofSeconds(10));
    world.step();
    assertThat(next(world)).containsExactly("NewReplica/0");
    assertThat(next(world)).isEmpty();
  }

  /** A drained node lets a pod end for a while, and its successor cannot run beside it. */
  @Test
  void aReplacementIsNotToldWhileThePodOfBeforeStops() {
    World world = new World(World.workers(2, "OnFailure"));
    world.settle();
    world.allRun();
    world.settle();
    world.see(World.deleted(world.pod("mnist-12e8d-worker-1"), world.now()));
    for (int second = 0; second < 20; second++) {
      assertThat(next(world)).as("second %d", second).doesNotContain("NewReplica/1");
      world.pass(Duration.ofSeconds(1));
    }
    assertThat(world.pods()).containsOnlyKeys("mnist-12e8d-worker-1");
    world.vanish("mnist-12e8d-worker-1");
    assertThat(next(world)).as("it is being created").doesNotContain("NewReplica/1");
    assertThat(world.pods()).containsKey("mnist-12e8d-worker-1-r1");
    assertThat(next(world)).containsExactly("NewReplica/1");
    assertThat(next(world)).isEmpty();
  }

  @Test
  void thePodsOfAnAttemptAreToldTogetherUnlessOneIsRefused() {
    for (boolean refused : new boolean[] {false, true}) {
      World world = new World(World.workers(2, "OnFailure"));
      world.settle();
      world.allRun();
      world.settle();
      world.exit("worker", 1, 1);
      world.step();
      world.step();
      ObservedPod late = world.pod("mnist-12e8d-worker-1-r1");
      world.vanish(late.name());
      if (refused) {
        world.refuse(
            new WriteFailure(
                ObjectWrite.pod(late.name()),
                WriteFailure.Kind.QUOTA,
                "exceeded quota",
                world.now().plusSeconds(60),
                false));
      }
      assertThat(next(world).contains("NewReplica/1"))
          .as("refused: %s", refused)
          .isEqualTo(refused);
      world.refuse();
      world.see(late);
      assertThat(next(world)).containsExactly("NewReplica/1");
    }
  }

  @Test
  void whatAJobHasGrownByIsToldWhenItExists() {
    String spec =
        World.workers(2, "OnFailure")
            + "torchrunConfig: {enabled: true}\n"
            + "elastic: {enabled: true, minReplicas: 1, maxReplicas: 4, expectedReplicas: %d}\n";
    World world = new World(spec.formatted(2));
    world.settle();
    world.allRun();
    world.settle();
    world.edit(spec.formatted(4));
    assertThat(next(world)).containsExactly("Scaled/0");
    assertThat(next(world)).containsExactly("NewReplica/0");
  }

  /** Also when one of them was not there at once. */
  @Test
  void thePodsOfAStartAndOfAResumeAreNoNewReplicas() {
    World world = new World(World.workers(2, "Never"));
    List<String> told = new ArrayList<>(next(world));
    ObservedPod late = world.pod("mnist-12e8d-worker-1");
    world.vanish(late.name());
    told.addAll(next(world));
    world.see(late);
    told.addAll(next(world));
    world.edit(World.workers(2, "Never") + "runMode: {pause: {enabled: true}}\n");
    world.settle();
    world.edit(World.workers(2, "Never"));
    for (int step = 0; step < 5; step++) {
      told.addAll(next(world));
    }
    assertThat(world.pods()).containsKey("mnist-12e8d-worker-1-r1");
    assertThat(told).doesNotContain("NewReplica/0");
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
