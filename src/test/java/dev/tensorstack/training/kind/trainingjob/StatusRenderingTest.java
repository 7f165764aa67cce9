package dev.tensorstack.training.kind.trainingjob;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.naming.ObjectKind;
import dev.tensorstack.training.core.observe.ObjectWrite;
import dev.tensorstack.training.core.observe.Observation;
import dev.tensorstack.training.core.observe.ObservedContainer;
import dev.tensorstack.training.core.observe.ObservedDependents;
import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.core.observe.ObservedServices;
import dev.tensorstack.training.core.observe.PodNotes;
import dev.tensorstack.training.core.observe.WriteFailure;
import dev.tensorstack.training.core.report.EventReport;
import dev.tensorstack.training.core.report.JobReport;
import dev.tensorstack.training.core.report.TensorboardReport;
import dev.tensorstack.training.kind.trainingjob.spec.JobNames;
import dev.tensorstack.training.kind.trainingjob.v1beta1.JobCondition;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobStatus;
import dev.tensorstack.training.world.World;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class StatusRenderingTest {

  private static final String TWO = World.workers(2, "Never");

  private static String condition(World world, String type) {
    JobCondition condition =
        world.status().conditions().stream()
            .filter(one -> one.type().equals(type))
            .findFirst()
            .orElseThrow();
    return condition.status() + " " + condition.reason();
  }

  private static ObservedPod pending(
      ObservedPod pod, @Nullable String unschedulable, List<ObservedContainer> containers) {
    return new ObservedPod(
        pod.name(),
        pod.uid(),
        pod.replica(),
        0,
        0,
        pod.mode(),
        ObservedPod.Phase.PENDING,
        false,
        null,
        unschedulable == null ? "n1" : null,
        null,
        pod.createdAt(),
        null,
        null,
        unschedulable,
        false,
        null,
        null,
        containers,
        null,
        null,
        null,
        Map.of());
  }

  private static WriteFailure refusal(World world, ObjectWrite object, WriteFailure.Kind kind) {
    return new WriteFailure(object, kind, "violates …", world.now().plusSeconds(60));
  }

  private static String message(PyTorchTrainingJobStatus status) {
    return status.conditions().stream()
        .filter(one -> one.type().equals("Running"))
        .findFirst()
        .orElseThrow()
        .message();
  }

  @Test
  void aRefusedElasticJobSaysHowManyNodesItWants() {
    World world =
        new World(
            TWO
                + "torchrunConfig: {enabled: true}\n"
                + "elastic: {enabled: true, minReplicas: 2, maxReplicas: 4}\n"
                + "runPolicy: {backoffLimit: -1}\n");
    world.settle();

    assertThat(world.status().phase()).isEqualTo("Failed");
    assertThat(world.status().columns().nodes()).isEqualTo("2:4");
  }

  @Test
  void aReplacementThatWaitedForItsDelayAtTheEndOfTheJobIsNotSaidToBeCreated() {
    World world =
        new World(
            World.workers(3, "OnFailure")
                + "runPolicy: {restartScope: Replica, backoffLimit: 2}\n");
    world.settle();
    world.allRun();
    for (int i = 0; i < 2; i++) {
      world.exit("worker", 1, 1);
      world.settle();
    }
    world.exit("worker", 2, 1);
    world.settle();

    assertThat(world.status().phase()).isEqualTo("Failed");
    assertThat(world.status().aggregate().creating()).isZero();
    assertThat(world.status().tasks().get(0).replicas())
        .allMatch(replica -> replica.restartAt() == null);
  }

  @Test
  void aReplicaThatAlwaysStartsAgainCountsInTheColumnOfRestarts() {
    World world = new World(World.workers(3, "Always") + "runPolicy: {restartScope: Replica}\n");
    world.settle();
    world.allRun();
    for (int exitCode : List.of(0, 0, 1)) {
      world.exit("worker", 1, exitCode);
      world.settle();
      world.pass(Duration.ofMinutes(5));
      world.settle();
      world.allRun();
    }

    assertThat(world.settle().columns().restarts()).isEqualTo(3);
    assertThat(world.status().backoffCount()).isEqualTo(1);
    assertThat(world.status().tasks().get(0).restartCount()).isEqualTo(3);
  }

  @Test
  void whileEarlierPodsTakeTheirTimeToEndTheJobSaysThatItWaitsForThem() {
    World world = new World(World.workers(3, "OnFailure"));
    world.settle();
    world.allRun();
    world.exit("worker", 1, 1);
    String failure = "; the last failure was that of pod mnist-12e8d-worker-1 (Error)";

    PyTorchTrainingJobStatus stopping = world.report(world.observe(), world.plan());
    assertThat(stopping.columns().reason()).isEqualTo("Restarting");
    assertThat(message(stopping)).isEqualTo("waits until the earlier pods have ended" + failure);

    world.settle();
    assertThat(message(world.status())).isEqualTo("pods are being replaced" + failure);

    world.allRun();
    world.exit("worker", 2, 1);
    assertThat(message(world.report(world.observe(), world.plan())))
        .startsWith("restart at 2026-01-01T00:00:10Z, once the earlier pods have ended; ");
    world.settle();
    assertThat(message(world.status())).startsWith("restart at 2026-01-01T00:00:10Z; ");
  }

  @Test
  void podsThatArePlacedOneByOneWaitForNoGang() {
    World world = new World(TWO + "scheduler: {}\n");
    world.settle();

    assertThat(world.status().columns().reason()).isEqualTo("NotFinished");
  }

  @ParameterizedTest
  @EnumSource(names = {"FORBIDDEN", "NAME_TAKEN"})
  void whatTheClusterForbidsIsAReasonOfItsOwn(WriteFailure.Kind kind) {
    World world = new World(TWO);
    world.refuse(refusal(world, ObjectWrite.pod("mnist-12e8d-worker-0"), kind));
    world.settle();
    assertThat(condition(world, "Running")).isEqualTo("False PodRejected");
    assertThat(condition(world, "ReplicaFailure")).isEqualTo("True PodRejected");
    assertThat(message(world.status())).contains("pod mnist-12e8d-worker-0");
  }

  @Test
  void aRefusalOfLongAgoDoesNotColourAHealthyJob() {
    World world = new World(TWO);
    world.settle();
    world.allRun();
    world.refuse(refusal(world, ObjectWrite.pod("mnist-12e8d-worker-0"), WriteFailure.Kind.QUOTA));
    Observation seen = world.observe();
    JobReport report = JobReport.of(seen, world.plan(seen));
    world.settle();
    assertThat(condition(world, "Running")).isEqualTo("True -");
    assertThat(condition(world, "ReplicaFailure")).isEqualTo("False -");
    assertThat(message(world.status())).isEqualTo("2 of 2 pods run");
    assertThat(EventReport.between(seen, report))
        .noneMatch(event -> event.reason().equals("CreateFailed"));
  }

  @Test
  void ofSeveralRefusalsTheFirstPodsIsToldThatSomebodyHasToDoSomethingAbout() {
    World world = new World(TWO);
    world.refuse(
        refusal(world, ObjectWrite.pod("mnist-12e8d-worker-0"), WriteFailure.Kind.TRANSIENT),
        refusal(
            world, ObjectWrite.of(ObjectKind.SERVICE, "mnist-12e8d"), WriteFailure.Kind.FORBIDDEN),
        refusal(world, ObjectWrite.pod("mnist-12e8d-worker-1"), WriteFailure.Kind.QUOTA));
    world.settle();
    assertThat(condition(world, "Running")).isEqualTo("False QuotaExceeded");
    assertThat(message(world.status())).startsWith("pod mnist-12e8d-worker-1: violates …");
  }

  @Test
  void aRefusedDeletionIsToldBehindTheTrueReasonAndNotInItsPlace() {
    World world = new World(World.workers(2, "OnFailure"));
    world.settle();
    ObservedPod earlier = world.pod("mnist-12e8d-worker-1");
    world.exit("worker", 1, 1);
    world.settle();
    world.see(earlier);
    world.refuse(
        refusal(world, ObjectWrite.podDeletion(earlier.name()), WriteFailure.Kind.FORBIDDEN));
    world.step();
    assertThat(condition(world, "Running")).isEqualTo("False Restarting");
    assertThat(condition(world, "ReplicaFailure")).isEqualTo("True Restarting");
    assertThat(message(world.status()))
        .endsWith("; deletion of pod " + earlier.name() + ": violates …; it is tried again");
  }

  @Test
  void whatKeepsPodsFromStoppingForAPauseIsTold() {
    World world = new World(TWO);
    world.settle();
    world.allRun();
    world.settle();
    world.edit(TWO + "runMode: {pause: {enabled: true}}\n");
    world.refuse(
        refusal(
            world, ObjectWrite.podDeletion("mnist-12e8d-worker-0"), WriteFailure.Kind.FORBIDDEN));
    world.step();
    assertThat(condition(world, "Running")).endsWith(" Paused");
    assertThat(message(world.status()))
        .isEqualTo(
            "the pods are being stopped for a pause; deletion of pod mnist-12e8d-worker-0:"
                + " violates …; it is tried again");
  }

  @Test
  void theWholeStateOfATensorboardThatServes() {
    World world = new World(TWO);
    assertThat(
            Serialization.asYaml(
                StatusRendering.tensorboard(
                    world.job(),
                    new TensorboardReport(
                        "mnist-12e8d-tensorboard",
                        "u1",
                        true,
                        "Ready",
                        "None",
                        "It serves.",
                        false))))
        .isEqualToIgnoringNewLines(
            """
            ---
            name: "tensorboard"
            dependent:
              apiVersion: "apps/v1"
              kind: "Deployment"
              name: "mnist-12e8d-tensorboard"
              namespace: "ns"
              uid: "u1"
            ready: true
            reason: "Ready"
            action: "None"
            note: "It serves."
            type: "Normal"
            """);
  }

  /** The pods run, and do not find each other. */
  @Test
  void aServiceThatIsRefusedIsToldThoughAllPodsRun() {
    World world = new World(TWO);
    world.settle();
    world.allRun();
    world.refuse(
        refusal(
            world,
            ObjectWrite.of(ObjectKind.SERVICE, "mnist-12e8d"),
            WriteFailure.Kind.NAME_TAKEN));
    Observation seen = world.observe();
    Observation without =
        new Observation(
            seen.job(),
            seen.pods(),
            ObservedServices.NONE,
            seen.creating(),
            seen.refused(),
            seen.dependents());
    PyTorchTrainingJobStatus status = world.report(without, world.plan(without));
    assertThat(status.phase()).isEqualTo("Running");
    assertThat(status.columns().reason()).isEqualTo("PodRejected");
    assertThat(message(status)).contains("2 of 2 pods run; Service mnist-12e8d: an object of this");
    assertThat(EventReport.between(without, JobReport.of(without, world.plan(without))))
        .filteredOn(event -> event.reason().equals("CreateFailed"))
        .singleElement()
        .satisfies(event -> assertThat(event.message()).contains("Service mnist-12e8d"));
  }

  @Test
  void aForeignPodGroupIsToldWithItsEvent() {
    ObjectKind kind = World.model(TWO + "scheduler: {volcano: {}}\n").scheduler().kinds().get(0);
    World world = new World(TWO + "scheduler: {volcano: {}}\n");
    world.serve(kind);
    String key = ObservedDependents.key(kind, "mnist-12e8d");
    world.refuse(refusal(world, ObjectWrite.of(kind, "mnist-12e8d"), WriteFailure.Kind.NAME_TAKEN));
    Observation before = world.observe();
    PyTorchTrainingJobStatus status = world.report(before, world.plan());
    assertThat(status.columns().reason()).isEqualTo("PodRejected");
    assertThat(message(status)).contains(key);
    assertThat(EventReport.between(before, JobReport.of(before, world.plan())))
        .filteredOn(event -> event.reason().equals("CreateFailed"))
        .singleElement()
        .satisfies(event -> assertThat(event.message()).contains(key));
  }

  @Test
  void whatAPodLacksIsSaidInTheWordsOfItsEvent() {
    World world = new World(TWO);
    world.settle();
    ObservedPod pod = world.pod("mnist-12e8d-worker-1");
    world.see(
        pending(
            pod,
            null,
            List.of(
                new ObservedContainer(
                    "pytorch",
                    false,
                    ObservedContainer.State.WAITING,
                    "ContainerCreating",
                    null,
                    null,
                    null,
                    null))));
    world.note(new PodNotes(Map.of(), Map.of(pod.uid(), "FailedMount, configmap \"c\" not found")));
    world.settle();
    assertThat(message(world.status()))
        .isEqualTo("worker-1: its node cannot start it: FailedMount, configmap \"c\" not found");
  }

  @Test
  void theWholeStatusOfARunningJob() {
    World world = new World(TWO);
    world.settle();
    world.pass(Duration.ofSeconds(5));
    world.allRun();
    world.settle();

    assertThat(world.status())
        .isEqualTo(
            Serialization.unmarshal(
                """
                observedGeneration: 1
                phase: Running
                startTime: "2026-01-01T00:00:00Z"
                attempt: 0
                runMode: Train
                backoffCount: 0
                disruptionCount: 0
                replicas: 2
                selector: batch.tensorstack.dev/job-uid=422e8cc7-163f-4d49-9fb8-d059e490a09b
                aggregate: {creating: 0, pending: 0, running: 2, succeeded: 0, failed: 0, unknown: 0, deleted: 0}
                tasks:
                - type: worker
                  restartCount: 0
                  replicas:
                  - {name: mnist-12e8d-worker-0, uid: uid-0, phase: Running, containers: [{name: pytorch, state: Running}]}
                  - {name: mnist-12e8d-worker-1, uid: uid-1, phase: Running, containers: [{name: pytorch, state: Running}]}
                columns: {running: 2/2, restarts: 0, nodes: "2", reason: "-"}
                conditions:
                - {type: Initialized, status: "True", reason: "-", message: the Service and the pods were created, lastTransitionTime: "2026-01-01T00:00:00Z", observedGeneration: 1}
                - {type: Running, status: "True", reason: "-", message: 2 of 2 pods run, lastTransitionTime: "2026-01-01T00:00:05Z", observedGeneration: 1}
                - {type: ReplicaFailure, status: "False", reason: "-", message: "", lastTransitionTime: "2026-01-01T00:00:00Z", observedGeneration: 1}
                - {type: Completed, status: "False", reason: NotFinished, message: "", lastTransitionTime: "2026-01-01T00:00:00Z", observedGeneration: 1}
                - {type: Failed, status: "False", reason: "-", message: "", lastTransitionTime: "2026-01-01T00:00:00Z", observedGeneration: 1}
                - {type: Paused, status: "False", reason: "-", message: "", lastTransitionTime: "2026-01-01T00:00:00Z", observedGeneration: 1}
                - {type: Succeeded, status: "False", reason: "-", message: "", lastTransitionTime: "2026-01-01T00:00:00Z", observedGeneration: 1}
                - {type: Reconciling, status: "False", reason: "-", message: "", lastTransitionTime: "2026-01-01T00:00:05Z", observedGeneration: 1}
                - {type: Stalled, status: "False", reason: "-", message: "", lastTransitionTime: "2026-01-01T00:00:00Z", observedGeneration: 1}
                ledger:
                  version: 1
                  mode: Train
                  startTime: "2026-01-01T00:00:00Z"
                  replicas:
                    worker: {present: 0-1, uids: {"0": uid-0, "1": uid-1}}
                  summary: {generation: 1, phase: Running, reason: "-", message: 2 of 2 pods run, initialized: true, hasRun: true, replicas: 2, counts: {Running: 2}}
                """,
                PyTorchTrainingJobStatus.class));
  }

  @Test
  void aStatusSaysTheSameWhenNothingChanged() {
    World world = new World(TWO);
    PyTorchTrainingJobStatus before = world.settle();
    world.pass(Duration.ofHours(1));

    assertThat(world.settle()).isEqualTo(before);
  }

  @Test
  void theLedgerIsReadBackFromTheStatusAsItWasWritten() {
    World world = new World(World.workers(3, "OnFailure"));
    world.settle();
    world.allRun();
    world.settle();
    world.exit("worker", 2, 1);
    world.settle();
    String stored = Serialization.asJson(world.status());

    Ledger ledger =
        StatusReader.ledger(
            Serialization.unmarshal(stored, PyTorchTrainingJobStatus.class),
            new JobNames("mnist-12e8d", "ns"));

    assertThat(ledger.counts().attempt()).isEqualTo(1);
    assertThat(ledger.counts().backoff()).isEqualTo(1);
    assertThat(ledger.counts().restarts()).containsEntry("worker", 1);
    assertThat(ledger.slots()).hasSize(3);
    assertThat(ledger.slots().values()).allMatch(slot -> slot.earlierPods() == 1);
    assertThat(
            ledger.differsInDecision(
                StatusReader.ledger(world.status(), new JobNames("mnist-12e8d", "ns"))))
        .isFalse();
  }

  @Test
  void aPendingJobSaysThatNoNodeFits() {
    World world = new World(TWO);
    world.settle();
    ObservedPod pod = world.pod("mnist-12e8d-worker-1");
    world.see(pending(pod, "0/3 nodes are available", List.of()));
    world.settle();

    assertThat(world.status().phase()).isEqualTo("Pending");
    assertThat(condition(world, "Running")).isEqualTo("False Unschedulable");
    assertThat(world.status().conditions().get(1).message())
        .isEqualTo("worker-1: 0/3 nodes are available");
    assertThat(world.status().columns().reason()).isEqualTo("Unschedulable");
  }

  @Test
  void aPendingJobSaysThatAnImageCannotBePulled() {
    World world = new World(TWO);
    world.settle();
    ObservedPod pod = world.pod("mnist-12e8d-worker-0");
    world.see(
        pending(
            pod,
            null,
            List.of(
                new ObservedContainer(
                    "pytorch",
                    false,
                    ObservedContainer.State.WAITING,
                    "ImagePullBackOff",
                    "not found",
                    null,
                    null,
                    null))));
    world.settle();

    assertThat(condition(world, "Running")).isEqualTo("False ImagePullFailed");
    assertThat(world.status().aggregate().pending()).isEqualTo(1);
    assertThat(world.status().aggregate().creating()).isEqualTo(1);
  }

  @Test
  void aRefusedCreationIsOnTheJobUntilItWorks() {
    World world = new World(TWO);
    world.refuse(
        new WriteFailure(
            ObjectWrite.pod("mnist-12e8d-worker-0"),
            WriteFailure.Kind.QUOTA,
            "exceeded quota: pods=1",
            world.now().plusSeconds(1)));
    world.settle();

    assertThat(condition(world, "Running")).isEqualTo("False QuotaExceeded");
    assertThat(condition(world, "ReplicaFailure")).isEqualTo("True QuotaExceeded");
    world.refuse();
    world.settle();
    assertThat(condition(world, "ReplicaFailure")).isEqualTo("False -");
  }

  @Test
  void aLargeJobListsOnlyWhatDoesNotSimplyRun() {
    World world = new World(World.workers(1_001, "Never"));
    world.settle();
    world.allRun();
    world.exit("worker", 7, 0);
    world.settle();

    assertThat(world.status().tasks()).hasSize(1);
    assertThat(world.status().tasks().get(0).omittedReplicas()).isEqualTo(1_000);
    assertThat(world.status().tasks().get(0).replicas())
        .singleElement()
        .satisfies(replica -> assertThat(replica.name()).isEqualTo("mnist-12e8d-worker-7"));
    assertThat(world.status().columns().running()).isEqualTo("1000/1001");
  }

  @Test
  void aMasterWhoseNodeIsSilentIsUnknown() {
    World world = new World(TWO);
    world.settle();
    world.allRun();
    world.settle();
    ObservedPod master = world.pod("mnist-12e8d-worker-0");
    world.see(
        new ObservedPod(
            master.name(),
            master.uid(),
            master.replica(),
            0,
            0,
            master.mode(),
            ObservedPod.Phase.UNKNOWN,
            false,
            null,
            "n1",
            null,
            master.createdAt(),
            null,
            null,
            null,
            false,
            null,
            null,
            List.of(),
            null,
            null,
            null,
            Map.of()));
    world.settle();

    assertThat(world.status().phase()).isEqualTo("Unknown");
    assertThat(condition(world, "Running")).isEqualTo("Unknown -");
  }
}
