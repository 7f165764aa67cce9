package dev.tensorstack.training.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.naming.ObjectKind;
import dev.tensorstack.training.core.observe.ObjectWrite;
import dev.tensorstack.training.core.observe.Observation;
import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.core.observe.ObservedServices;
import dev.tensorstack.training.core.observe.WriteFailure;
import dev.tensorstack.training.world.World;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What waits after refusals, and which of them still matter. */
class RefusedWritesPlanTest {

  private static final String POD = "mnist-12e8d-worker-";

  private final World world = new World(World.workers(3, "OnFailure"));

  private WriteFailure refusal(ObjectWrite write, long seconds) {
    return new WriteFailure(
        write, WriteFailure.Kind.FORBIDDEN, "no", world.now().plusSeconds(seconds));
  }

  /** All run, and an earlier pod of worker-2 is there again. */
  private void superfluous() {
    world.settle();
    world.allRun();
    world.settle();
    ObservedPod zombie = world.pod(POD + 2);
    world.vanish(POD + 2);
    world.settle();
    world.allRun();
    world.settle();
    world.see(zombie);
  }

  @Test
  void aRefusedDeletionIsTriedAgainAtItsTime() {
    superfluous();
    PlannedAction deletion = new PlannedAction.DeletePod(POD + 2, world.pod(POD + 2).uid());
    assertThat(world.plan().actions()).containsExactly(deletion);
    world.refuse(refusal(ObjectWrite.podDeletion(POD + 2), 5));
    Plan plan = world.plan();
    assertThat(plan.actions()).isEmpty();
    assertThat(plan.requeueAt()).isEqualTo(world.now().plusSeconds(5));
    world.pass(Duration.ofSeconds(5));
    assertThat(world.plan().actions()).containsExactly(deletion);
  }

  @Test
  void whatIsRefusedWaitsEachForItsOwnTime() {
    Observation seen = bothWanted();
    PlannedAction.CreateService service =
        new PlannedAction.CreateService(world.job().names().service(), null);
    assertThat(world.plan(seen).actions()).contains(service).hasSize(4);

    world.refuse(refusal(ObjectWrite.pod(POD + 1), 4), refusal(serviceWrite(), 2));
    Plan plan = world.plan(bothWanted());
    assertThat(plan.actions()).isEmpty();
    assertThat(plan.requeueAt()).isEqualTo(world.now().plusSeconds(2));
    assertThat(plan.refused().byWrite()).containsOnlyKeys(ObjectWrite.pod(POD + 1), serviceWrite());

    world.pass(Duration.ofSeconds(2));
    plan = world.plan(bothWanted());
    assertThat(plan.actions()).containsExactly(service);
    assertThat(plan.requeueAt()).isEqualTo(world.now().plusSeconds(2));
  }

  @Test
  void refusedDeletionsHoldUpNoCreation() {
    superfluous();
    world.vanish(POD + 1);
    world.settle();
    world.refuse(refusal(ObjectWrite.podDeletion(POD + 2), 60));
    world.edit(World.workers(3, "OnFailure") + "runMode: {pause: {enabled: true}}\n");
    assertThat(world.plan().actions()).isEmpty();
    world.refuse(refusal(ObjectWrite.pod(POD + 2), 60));
    assertThat(world.plan().actions()).isNotEmpty();
  }

  @Test
  void aRefusedServiceHoldsUpNoPod() {
    world.refuse(refusal(serviceWrite(), 60));
    assertThat(world.plan(bothWanted()).actions())
        .hasSize(3)
        .allMatch(PlannedAction.CreatePod.class::isInstance);
  }

  @Test
  void theRefusalOfWhatIsNotWantedAnyMoreDoesNotMatter() {
    world.refuse(
        refusal(ObjectWrite.pod(POD + 7), 60),
        refusal(ObjectWrite.podDeletion(POD + 0), 60),
        refusal(ObjectWrite.of(ObjectKind.AUTOSCALER, "mnist-12e8d"), 60));
    assertThat(world.plan().refused().isEmpty()).isTrue();
  }

  private ObjectWrite serviceWrite() {
    return ObjectWrite.of(ObjectKind.SERVICE, world.job().names().service());
  }

  /** A new job: nothing is there. */
  private Observation bothWanted() {
    Observation seen = world.observe();
    return new Observation(
        seen.job(), List.of(), ObservedServices.NONE, Set.of(), seen.refused(), seen.dependents());
  }
}
