package dev.tensorstack.training.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.model.GangFacts;
import dev.tensorstack.training.core.naming.ObjectKind;
import dev.tensorstack.training.core.observe.ObjectWrite;
import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.core.observe.WriteFailure;
import dev.tensorstack.training.kind.trainingjob.v1beta1.JobCondition;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobStatus;
import dev.tensorstack.training.world.World;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class DependentsPlanTest {

  private static final ObjectKind VOLCANO =
      new ObjectKind("scheduling.volcano.sh", "v1beta1", "PodGroup", "podgroups");

  private static final String TWO = World.workers(2, "OnFailure");
  private static final String GANG = TWO + "scheduler: {volcano: {queue: q}}\n";
  private static final String BOARD = "tensorboardSpec: {logDir: {pvc: [{name: logs}]}}\n";
  private static final String SCALED =
      TWO
          + "torchrunConfig: {enabled: true}\n"
          + "elastic: {enabled: true, minReplicas: 1, maxReplicas: 4, metrics: [{type: Resource,"
          + " resource: {name: cpu, target: {type: Utilization, averageUtilization: 80}}}]}\n";
  private static final String PAUSE = "runMode: {pause: {enabled: true}}\n";

  private static final String GROUP = "PodGroup.scheduling.volcano.sh mnist-12e8d";
  private static final String AUTOSCALER = "HorizontalPodAutoscaler.autoscaling mnist-12e8d";
  private static final String DEPLOYMENT = "Deployment.apps mnist-12e8d-tensorboard";
  private static final String SERVICE = "Service mnist-12e8d-tensorboard";

  private static JobCondition running(PyTorchTrainingJobStatus status) {
    return Objects.requireNonNull(status.conditions()).stream()
        .filter(condition -> "Running".equals(condition.type()))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void noPodIsPlannedBeforeItsPodGroupIsSeen() {
    World world = new World(GANG);
    world.serve(VOLCANO);
    Plan first = world.step();
    assertThat(first.actions()).hasOnlyElementsOfType(PlannedAction.ApplyDependent.class);
    assertThat(world.status().startTime()).as("nothing has started").isNull();
    assertThat(running(world.status()).reason())
        .as("it is there in a moment")
        .isEqualTo("NotFinished");

    assertThat(world.step().actions())
        .hasOnlyElementsOfType(PlannedAction.CreatePod.class)
        .hasSize(2);
    assertThat(world.status().startTime()).isNotNull();
  }

  @Test
  void aKindThatIsNotServedIsNamedAndLookedForAgain() {
    World world = new World(GANG);
    Plan plan = world.step();
    assertThat(plan.actions()).isEmpty();
    assertThat(plan.requeueAt()).isEqualTo(world.now().plus(GangGate.NEXT_LOOK));
    assertThat(running(world.status()).reason()).isEqualTo("WaitingForGang");
    assertThat(running(world.status()).message())
        .contains("PodGroup.scheduling.volcano.sh", "podgroups.scheduling.volcano.sh", "install");
    assertThat(world.status().startTime()).isNull();

    // It is not known for a moment after a start of the operator: no news.
    PyTorchTrainingJobStatus before = world.status();
    world.pass(Duration.ofMinutes(1));
    world.doNotKnow(world.job().spec().scheduler().kinds());
    world.step();
    assertThat(world.status()).isEqualTo(before);

    world.doNotKnow(List.of());
    world.serve(VOLCANO);
    world.settle();
    assertThat(world.pods()).hasSize(2);
  }

  @Test
  void aGangThatWaitsSaysWhatItsQueueLacks() {
    World world = new World(GANG);
    world.serve(VOLCANO);
    world.settle();
    world.say(new GangFacts(Map.of(), List.of(), false));
    world.settle();
    assertThat(running(world.status()).reason()).isEqualTo("WaitingForGang");
    assertThat(running(world.status()).message())
        .startsWith("worker-0, worker-1: queue q does not exist: ");

    // It is not known for a moment after a start of the operator: no news.
    PyTorchTrainingJobStatus before = world.status();
    world.say(new GangFacts(null, List.of(), true));
    world.settle();
    assertThat(world.status()).isEqualTo(before);

    ObservedPod pod = world.pod("mnist-12e8d-worker-0");
    world.see(World.unschedulable(pod, "pod group is not ready"));
    world.say(
        new GangFacts(Map.of("q", new GangFacts.Queue("Closed", Map.of())), List.of(), false));
    world.settle();
    assertThat(running(world.status()).reason()).isEqualTo("Unschedulable");
    assertThat(running(world.status()).message())
        .startsWith("worker-0: pod group is not ready; queue q (Closed, ");

    world.allRun();
    world.settle();
    assertThat(running(world.status()).message()).isEqualTo("2 of 2 pods run");
  }

  @Test
  void anEarlierPodGroupThatIsStillBeingDeletedIsWaitedFor() {
    World world = new World(GANG);
    world.serve(VOLCANO);
    world.step();
    GenericKubernetesResource group = Objects.requireNonNull(world.dependents().get(GROUP));
    group.getMetadata().setDeletionTimestamp("2026-01-01T00:00:00Z");
    assertThat(world.step().actions()).isEmpty();
    assertThat(running(world.status()).message()).contains("is still being deleted");
    world.dependents().clear();
    world.settle();
    assertThat(world.pods()).hasSize(2);
  }

  @Test
  void aPodGroupThatIsDeletedUnderRunningPodsHoldsNoReplacementUp() {
    World world = new World(GANG + "runPolicy: {restartScope: Replica}\n");
    world.serve(VOLCANO);
    world.settle();
    world.allRun();
    world.settle();
    GenericKubernetesResource group = Objects.requireNonNull(world.dependents().get(GROUP));
    group.getMetadata().setDeletionTimestamp("2026-01-01T00:00:00Z");
    world.exit("worker", 1, 1);
    world.settle();
    assertThat(world.pods()).containsKey("mnist-12e8d-worker-1-r1");
  }

  @Test
  void theGroupAndTheAutoscalerGoWithAPauseAndTheEndAndTensorboardOnlyWithTheJob() {
    World world = new World(SCALED + BOARD + "scheduler: {volcano: {queue: q}}\n");
    world.serve(VOLCANO);
    world.settle();
    world.allRun();
    world.settle();
    assertThat(world.dependents()).containsOnlyKeys(GROUP, AUTOSCALER, DEPLOYMENT, SERVICE);

    world.edit(SCALED + BOARD + "scheduler: {volcano: {queue: q}}\n" + PAUSE);
    world.settle();
    assertThat(world.status().phase()).isEqualTo("Paused");
    assertThat(world.dependents()).containsOnlyKeys(DEPLOYMENT, SERVICE);

    world.edit(SCALED + BOARD + "scheduler: {volcano: {queue: q}}\n");
    world.settle();
    world.allRun();
    world.settle();
    assertThat(world.dependents()).containsOnlyKeys(GROUP, AUTOSCALER, DEPLOYMENT, SERVICE);

    world.exit("worker", 0, 0);
    world.settle();
    assertThat(world.status().phase()).isEqualTo("Succeeded");
    assertThat(world.dependents()).containsOnlyKeys(DEPLOYMENT, SERVICE);
    world.edit(SCALED);
    world.settle();
    assertThat(world.dependents()).isEmpty();
  }

  @Test
  void whatSomebodyChangesComesBackAndWhatTheApiServerInsistsOnStays() {
    World world = new World(TWO + BOARD);
    world.settle();
    GenericKubernetesResource deployment =
        Objects.requireNonNull(world.dependents().get(DEPLOYMENT));
    GenericKubernetesResource edited = new GenericKubernetesResource();
    edited.setApiVersion(deployment.getApiVersion());
    edited.setKind(deployment.getKind());
    edited.setMetadata(deployment.getMetadata());
    edited.setAdditionalProperty("spec", Map.of("replicas", 7));
    world.dependents().put(DEPLOYMENT, edited);
    assertThat(world.plan().actions())
        .singleElement()
        .isInstanceOfSatisfying(
            PlannedAction.ApplyDependent.class,
            apply ->
                assertThat(apply.object().getMetadata().getUid())
                    .isEqualTo(edited.getMetadata().getUid()));
  }

  @Test
  void aTensorboardThatIsRefusedHoldsUpNothingAndIsTriedAgain() {
    World world = new World(TWO + BOARD);
    world.refuse(
        new WriteFailure(
            ObjectWrite.of(ObjectKind.DEPLOYMENT, "mnist-12e8d-tensorboard"),
            WriteFailure.Kind.QUOTA,
            "exceeded quota",
            world.now().plus(Duration.ofSeconds(5))));
    Plan plan = world.step();
    assertThat(plan.actions()).hasAtLeastOneElementOfType(PlannedAction.CreatePod.class);
    assertThat(plan.requeueAt()).isEqualTo(world.now().plus(Duration.ofSeconds(5)));
    assertThat(world.dependents()).containsOnlyKeys(SERVICE);
    world.pass(Duration.ofSeconds(5));
    world.step();
    assertThat(world.dependents()).containsOnlyKeys(DEPLOYMENT, SERVICE);
  }

  @Test
  void anAutoscalerThatIsRefusedIsToldOnTheJobThatRunsOn() {
    World world = new World(SCALED);
    world.settle();
    world.dependents().remove(AUTOSCALER);
    world.refuse(
        new WriteFailure(
            ObjectWrite.of(ObjectKind.AUTOSCALER, world.job().names().autoscaler()),
            WriteFailure.Kind.FORBIDDEN,
            "nobody may",
            world.now().plus(Duration.ofSeconds(5))));
    world.allRun();
    world.settle();
    assertThat(world.status().phase()).isEqualTo("Running");
    assertThat(running(world.status()).message())
        .isEqualTo("2 of 2 pods run; " + AUTOSCALER + ": nobody may; it is tried again");
  }

  @Test
  void anAutoscalerThatIsNotWantedAnyMoreIsNotToldAnyMore() {
    World world = new World(SCALED);
    world.settle();
    world.dependents().remove(AUTOSCALER);
    world.refuse(
        new WriteFailure(
            ObjectWrite.of(ObjectKind.AUTOSCALER, world.job().names().autoscaler()),
            WriteFailure.Kind.FORBIDDEN,
            "nobody may",
            world.now().plus(Duration.ofMinutes(1))));
    world.allRun();
    world.settle();
    assertThat(running(world.status()).message()).contains("nobody may");

    world.edit(SCALED.replaceFirst(", metrics: .*", "}\n"));
    world.settle();
    assertThat(running(world.status()).message()).isEqualTo("2 of 2 pods run");
    assertThat(world.plan().requeueAt()).isNull();
  }

  @Test
  void aJobWithoutAnyOfThemPlansNothing() {
    World world = new World(TWO);
    world.settle();
    assertThat(world.dependents()).isEmpty();
    assertThat(world.plan().actions()).isEqualTo(List.of());
  }
}
