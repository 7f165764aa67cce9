package dev.tensorstack.training.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.observe.ObjectWrite;
import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.core.observe.PodNotes;
import dev.tensorstack.training.core.observe.WriteFailure;
import dev.tensorstack.training.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Nobody meets a pod that was given up with its node under the name of its replacement. */
class GivenUpPodsTest {

  private static final Duration GRACE = Duration.ofSeconds(30);
  private static final String OLD = "mnist-12e8d-worker-1";
  private static final String NEW = "mnist-12e8d-worker-1-r1";

  /** All run, and the node of the second pod has been lost for longer than the grace. */
  private static World lost(String scope) {
    World world =
        new World(World.workers(2, "OnFailure") + "runPolicy: {restartScope: " + scope + "}\n");
    world.settle();
    world.allRun();
    world.settle();
    ObservedPod pod = world.pod(OLD);
    world.see(pod.lost(world.now()));
    world.note(new PodNotes(Map.of(pod.uid(), Instant.MIN), Map.of()));
    world.pass(GRACE);
    return world;
  }

  /** As it is seen while its node is lost: the deletion is accepted and never confirmed. */
  private static Plan stepWithZombie(World world, ObservedPod zombie) {
    Plan plan = world.step();
    world.see(zombie.beingDeleted());
    return plan;
  }

  /** It is gone before any status has listed it, so that nothing is counted. */
  @Test
  void aPodThatIsGoneAgainAndAgainBeforeItIsListedWaitsAsAfterDisruptions() {
    World world = new World(World.workers(1, "OnFailure"));
    String pod = "mnist-12e8d-worker-0";
    world.note(
        new PodNotes(Map.of(), Map.of(), Map.of(pod, new PodNotes.Creations(3, world.now()))));
    assertThat(created(world.plan())).containsExactly(pod);

    world.note(
        new PodNotes(Map.of(), Map.of(), Map.of(pod, new PodNotes.Creations(6, world.now()))));
    assertThat(created(world.plan())).isEmpty();
    assertThat(world.plan().requeueAt()).isEqualTo(world.now().plusSeconds(4));
    world.pass(Duration.ofSeconds(4));
    assertThat(created(world.plan())).containsExactly(pod);
  }

  private static List<String> created(Plan plan) {
    return plan.actions().stream()
        .filter(PlannedAction.CreatePod.class::isInstance)
        .map(action -> ((PlannedAction.CreatePod) action).name())
        .toList();
  }

  @ParameterizedTest
  @ValueSource(strings = {"Replica", "Job"})
  void itLeavesTheServiceBeforeAnyPodComesInItsPlace(String scope) {
    World world = lost(scope);
    ObservedPod zombie = world.pod(OLD);
    for (int look = 0; look < 5; look++) {
      Plan plan = stepWithZombie(world, zombie);
      assertThat(plan.actions())
          .contains(new PlannedAction.UnpublishPod(OLD, zombie.uid()))
          .noneMatch(PlannedAction.CreatePod.class::isInstance);
    }
    world.note(PodNotes.NONE);
    assertThat(created(world.plan())).contains(NEW);
    assertThat(world.plan().actions()).noneMatch(PlannedAction.UnpublishPod.class::isInstance);
  }

  @Test
  void afterARefusalItIsTriedAgainAtItsTimeWhateverElseIsRefused() {
    World world = lost("Replica");
    ObservedPod zombie = world.pod(OLD);
    Instant later = world.now().plusSeconds(2);
    world.note(new PodNotes(Map.of(zombie.uid(), later), Map.of()));
    stepWithZombie(world, zombie);
    Plan plan = world.plan();
    assertThat(plan.requeueAt()).isEqualTo(later);
    assertThat(plan.actions()).isEmpty();

    world.refuse(
        new WriteFailure(
            ObjectWrite.pod(NEW),
            WriteFailure.Kind.FORBIDDEN,
            "no",
            world.now().plus(Duration.ofHours(1))));
    world.pass(Duration.ofSeconds(2));
    assertThat(world.plan().actions())
        .containsExactly(new PlannedAction.UnpublishPod(OLD, zombie.uid()));
  }

  @Test
  void aPodWhoseNodeMayStillComeBackStaysWhereItIs() {
    World world = lost("Replica");
    world.pass(Duration.ofSeconds(-1));
    assertThat(world.plan().actions()).isEmpty();
  }
}
