package dev.tensorstack.training.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.model.RunModeKind;
import dev.tensorstack.training.core.observe.Observation;
import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.world.World;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What the ledger keeps of replicas that scaling takes away. */
class RemovedReplicasTest {

  private static String workers(int nodes) {
    return World.workers(3, "OnFailure")
        + "torchrunConfig: {enabled: true}\n"
        + "elastic: {enabled: true, minReplicas: 1, maxReplicas: 4, expectedReplicas: "
        + nodes
        + "}\n";
  }

  private static World running() {
    World world = new World(workers(3));
    world.settle();
    world.allRun();
    world.settle();
    // Its ring is formed.
    world.pass(Duration.ofMinutes(1));
    return world;
  }

  private static Ledger ledger(World world) {
    return world.job().ledger();
  }

  @Test
  void scalingDownIsADecisionThatIsStoredBeforeAnyPodGoes() {
    World world = running();
    world.edit(workers(2));
    Plan plan = world.plan();
    assertThat(plan.actions()).hasOnlyElementsOfType(PlannedAction.DeletePod.class).hasSize(1);
    assertThat(plan.ledger().differsInDecision(ledger(world))).isTrue();

    world.step();
    assertThat(ledger(world).removed()).containsExactly(new ReplicaId("worker", 2));
    assertThat(ledger(world).slots())
        .containsEntry(new ReplicaId("worker", 2), new Ledger.Slot(1, null, null));
    assertThat(world.plan().ledger().differsInDecision(ledger(world))).isFalse();
  }

  @Test
  void aPodThatScalingTookAwayIsNoFailureThoughItsReplicaComesBackBeforeItIsGone() {
    World world = running();
    ObservedPod removed = world.pod("mnist-12e8d-worker-2");
    world.edit(workers(2));
    world.step();
    world.see(removed.beingDeleted());
    world.edit(workers(3));
    Plan plan = world.step();
    assertThat(plan.ledger().counts()).isEqualTo(Ledger.Counts.ZERO);
    assertThat(plan.actions()).as("its place is not yet free").isEmpty();

    world.vanish(removed.name());
    world.settle();
    assertThat(world.pods()).containsKey("mnist-12e8d-worker-2-r1");
    assertThat(world.status().disruptionCount()).isZero();
  }

  @Test
  void aFailureOfBeforeIsNotCountedAgainWhenTheReplicaComesBack() {
    World world = running();
    world.exit("worker", 2, 1);
    world.settle();
    world.pass(Duration.ofSeconds(10));
    world.settle();
    assertThat(world.status().backoffCount()).isEqualTo(1);

    world.edit(workers(2));
    world.settle();
    assertThat(world.pods()).containsKey("mnist-12e8d-worker-2").hasSize(3);
    world.edit(workers(3));
    world.settle();
    assertThat(world.status().backoffCount()).isEqualTo(1);
    assertThat(world.pods()).containsKey("mnist-12e8d-worker-2-r2");
    assertThat(ledger(world).removed()).isEmpty();
  }

  @Test
  void aNewAttemptKeepsWhatIsKnownOfRemovedReplicas() {
    World world = running();
    world.edit(workers(2));
    world.settle();
    world.exit("worker", 0, 1);
    world.settle();
    world.pass(Duration.ofSeconds(10));
    world.settle();
    assertThat(world.status().attempt()).isEqualTo(1);
    assertThat(ledger(world).slots())
        .containsEntry(new ReplicaId("worker", 2), new Ledger.Slot(1, null, null));
  }

  /** A node that goes while the others form their ring ends all agents. */
  @Test
  void twoShrinksAreHalfAMinuteApart() {
    World world = running();
    world.edit(workers(2));
    world.settle();
    assertThat(world.pods()).hasSize(2);
    assertThat(world.status().lastShrinkTime()).isEqualTo(world.now().toString());

    world.pass(Duration.ofSeconds(10));
    world.edit(workers(1));
    world.settle();
    assertThat(world.pods()).hasSize(2);
    assertThat(world.status().replicas()).isEqualTo(2);
    assertThat(Objects.requireNonNull(world.status().conditions()).get(1).message())
        .isEqualTo("2 of 2 pods run; 1 leaves once the ring is formed that the last change began");
    assertThat(world.plan().requeueAt()).isEqualTo(world.now().plusSeconds(20));

    world.pass(Duration.ofSeconds(20));
    world.settle();
    assertThat(world.pods()).containsOnlyKeys("mnist-12e8d-worker-0");
    assertThat(world.plan().requeueAt()).isNull();
  }

  @Test
  void whatDoesNotRunMayLeaveAtAnyTimeAndGrowingIsAlwaysPossible() {
    World world = running();
    world.edit(workers(2));
    world.settle();
    world.edit(workers(4));
    world.settle();
    assertThat(world.pods()).hasSize(4);
    world.edit(workers(2));
    world.settle();
    assertThat(world.pods()).as("those that came last do not run yet").hasSize(2);
  }

  @Test
  void nothingIsRememberedOfWhatWasNeverCreated() {
    World world = running();
    world.edit(workers(4));
    Plan plan = world.plan();
    world.store(Serialization.asJson(world.report(world.observe(), plan)));
    assertThat(ledger(world).slots()).as("decided on").containsKey(new ReplicaId("worker", 3));

    world.edit(workers(3));
    world.step();
    assertThat(ledger(world).removed()).isEmpty();
    assertThat(ledger(world).slots()).hasSize(3);
    assertThat(world.plan().ledger().differsInDecision(ledger(world))).isFalse();
  }

  /** It is seen a moment later, and its name is then in use. */
  @Test
  void whatMayStillBeCreatedIsRemembered() {
    World world = running();
    world.edit(workers(4));
    world.store(Serialization.asJson(world.report(world.observe(), world.plan())));
    world.edit(workers(3));
    Observation sent = creating(world, "mnist-12e8d-worker-3");
    assertThat(world.plan(sent).ledger().removed()).containsExactly(new ReplicaId("worker", 3));
  }

  private static Observation creating(World world, String pod) {
    Observation seen = world.observe();
    return new Observation(
        seen.job(),
        seen.pods(),
        seen.services(),
        Set.of(pod),
        seen.refused(),
        seen.dependents(),
        seen.notes());
  }

  private static Plan decide(World world, Observation seen) {
    Plan plan = world.plan(seen);
    world.store(Serialization.asJson(world.report(seen, plan)));
    return plan;
  }

  /** Its pod would join the rendezvous of the attempt before, which is closed. */
  @Test
  void anAttemptWaitsForACreationOfTheOneBeforeThoughItsReplicaWasAwayMeanwhile() {
    World world = running();
    String late = "mnist-12e8d-worker-3";
    world.edit(workers(4));
    decide(world, world.observe());
    world.edit(workers(3));
    decide(world, creating(world, late));

    Set.copyOf(world.pods().keySet()).forEach(world::vanish);
    assertThat(decide(world, creating(world, late)).actions()).isEmpty();
    assertThat(world.status().attempt()).isEqualTo(1);
    world.edit(workers(4));
    assertThat(decide(world, creating(world, late)).actions()).isEmpty();

    world.settle();
    assertThat(world.pods()).hasSize(4).containsKey("mnist-12e8d-worker-3-r1");
  }

  /** What scaling takes away is in the ledger before it goes, so that this was somebody else. */
  @Test
  void aPodThatSomebodyDeletesBeforeAStatusHasListedItWasNotTakenAwayByScaling() {
    World world = running();
    ObservedPod pod = world.pod("mnist-12e8d-worker-2");
    world.store("{}");
    world.see(World.deleted(pod, world.now()));
    Plan plan = world.plan();
    assertThat(plan.ledger().counts().disruptions()).isEqualTo(1);
    assertThat(plan.ledger().differsInDecision(ledger(world)))
        .as("the next name is stored before a pod has it")
        .isTrue();

    world.vanish(pod.name());
    assertThat(world.plan().actions())
        .as("nobody knows that there was one")
        .containsExactly(
            new PlannedAction.CreatePod(pod.replica(), pod.name(), 0, 0, RunModeKind.TRAIN));
  }
}
