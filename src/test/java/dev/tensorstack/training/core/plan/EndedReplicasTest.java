package dev.tensorstack.training.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.observe.ObservedContainer;
import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.core.observe.PodNotes;
import dev.tensorstack.training.core.report.JobReport;
import dev.tensorstack.training.kind.trainingjob.StatusReader;
import dev.tensorstack.training.kind.trainingjob.spec.JobNames;
import dev.tensorstack.training.kind.trainingjob.v1beta1.ReplicaStatus;
import dev.tensorstack.training.world.StatusOfBefore;
import dev.tensorstack.training.world.World;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What has ended stays ended, although somebody removes its pod. */
class EndedReplicasTest {

  private static final String ELASTIC =
      """
      torchrunConfig: {enabled: true}
      elastic: {enabled: true, minReplicas: 1, maxReplicas: 3}
      """;

  private static World running(String spec) {
    World world = new World(spec);
    world.settle();
    world.allRun();
    world.settle();
    return world;
  }

  private static ReplicaStatus replica(World world, int index) {
    return Objects.requireNonNull(
        Objects.requireNonNull(world.status().tasks()).get(0).replicas().get(index));
  }

  private static void assertNothingHappened(World world) {
    assertThat(world.status().attempt()).isZero();
    assertThat(world.status().disruptionCount()).isZero();
    assertThat(world.status().backoffCount()).isZero();
    assertThat(world.status().completionTime()).isNull();
  }

  @ParameterizedTest
  @CsvSource({
    "Never, ''",
    "OnFailure, ''",
    "ExitCode, ''",
    "OnFailure, Replica",
    "OnFailure, Job",
    "Never, Replica"
  })
  void aWorkerThatIsDoneStaysDoneWhenItsPodIsRemoved(String policy, String scope) {
    World world =
        running(
            World.workers(3, policy)
                + (scope.isEmpty() ? "" : "runPolicy: {restartScope: " + scope + "}\n"));
    world.exit("worker", 1, 0);
    world.settle();
    world.vanish("mnist-12e8d-worker-1");
    world.pass(Duration.ofMinutes(10));
    world.settle();

    assertNothingHappened(world);
    assertThat(world.status().phase()).isEqualTo("Running");
    assertThat(replica(world, 1).phase()).isEqualTo("Succeeded");
    assertThat(world.pods()).doesNotContainKey("mnist-12e8d-worker-1-r1");
  }

  @Test
  void aWorkerWhosePodIsBeingDeletedInTheSecondOfItsEndStaysDone() {
    World world = running(World.workers(3, "OnFailure"));
    world.exit("worker", 1, 0);
    world.settle();
    ObservedPod ended = world.pod("mnist-12e8d-worker-1");
    world.see(World.deleted(ended, world.now()));
    world.settle();

    assertNothingHappened(world);
    assertThat(replica(world, 1).phase()).isEqualTo("Succeeded");
    world.vanish("mnist-12e8d-worker-1");
    world.settle();
    assertNothingHappened(world);
  }

  @ParameterizedTest
  @ValueSource(strings = {"Never", "ExitCode", "OnFailure"})
  void aFailedWorkerThatAnElasticJobTolerates(String policy) {
    World world =
        running(
            World.workers(3, policy)
                + ELASTIC
                + "runPolicy: {backoffLimit: 0, restartScope: Replica}\n");
    world.exit("worker", 2, 42);
    world.settle();
    world.pass(Duration.ofSeconds(10));
    world.settle();
    var failure = world.status().lastFailure();
    assertThat(Objects.requireNonNull(failure).exitCode()).isEqualTo(42);
    world.vanish("mnist-12e8d-worker-2");
    world.pass(Duration.ofMinutes(1));
    world.settle();

    assertNothingHappened(world);
    assertThat(world.status().lastFailure()).isEqualTo(failure);
    assertThat(replica(world, 2).phase()).isEqualTo("Failed");
    assertThat(world.pods()).doesNotContainKey("mnist-12e8d-worker-2-r1");
  }

  /** The operator has seen the end, and no status was written in between. */
  @ParameterizedTest
  @CsvSource({"Never, 42, 0", "ExitCode, 42, 0", "OnFailure, 42, 1", "OnFailure, 0, 0"})
  void anEndThatWasSeenCountsThoughThePodIsRemovedBeforeAnyStatusRecordsIt(
      String policy, int code, int restarts) {
    World world =
        running(World.workers(3, policy) + ELASTIC + "runPolicy: {restartScope: Replica}\n");
    world.exit("worker", 2, code);
    ObservedPod ended = world.pod("mnist-12e8d-worker-2");
    world.vanish(ended.name());
    world.note(
        new PodNotes(
            Map.of(), Map.of(), Map.of(), Map.of(), Set.of(), Map.of(ended.name(), ended)));
    world.settle();
    if (restarts == 0) {
      assertThat(replica(world, 2).phase()).isEqualTo(code == 0 ? "Succeeded" : "Failed");
    }
    world.note(PodNotes.NONE);
    world.pass(Duration.ofSeconds(10));
    world.settle();

    assertThat(world.status().disruptionCount()).isZero();
    assertThat(world.status().backoffCount()).isEqualTo(restarts);
    if (code == 0) {
      assertThat(world.status().lastFailure()).isNull();
    } else {
      assertThat(Objects.requireNonNull(world.status().lastFailure()).exitCode()).isEqualTo(code);
    }
  }

  @Test
  void anEndThatWasSeenOfAnotherPodThanTheListedOneDoesNotCount() {
    World world = running(World.workers(3, "OnFailure") + ELASTIC);
    ObservedPod other =
        World.in(world.pod("mnist-12e8d-worker-1"), ObservedPod.Phase.FAILED, List.of());
    String listed = "mnist-12e8d-worker-2";
    world.vanish(listed);
    world.note(
        new PodNotes(Map.of(), Map.of(), Map.of(), Map.of(), Set.of(), Map.of(listed, other)));
    world.settle();
    assertThat(world.status().disruptionCount()).isEqualTo(1);
  }

  /** The eviction API, taints and the scheduler mark a pod that has ended, then remove it. */
  @ParameterizedTest
  @CsvSource({"ExitCode, 0", "ExitCode, 60", "OnFailure, 0", "OnFailure, 60"})
  void aToleratedFailureThatADrainMarksStaysTheApplications(String policy, int later) {
    World world =
        running(
            World.workers(3, policy)
                + ELASTIC
                + "runPolicy: {backoffLimit: 0, restartScope: Replica}\n");
    world.exit("worker", 2, 42);
    world.settle();
    var failure = world.status().lastFailure();
    world.pass(Duration.ofSeconds(later));
    world.see(World.disrupted(world.pod("mnist-12e8d-worker-2"), world.now()));
    world.settle();

    assertNothingHappened(world);
    assertThat(world.status().lastFailure()).isEqualTo(failure);
    assertThat(replica(world, 2).cause()).isNull();
    world.vanish("mnist-12e8d-worker-2");
    world.settle();

    assertNothingHappened(world);
    assertThat(world.status().lastFailure()).isEqualTo(failure);
    assertThat(replica(world, 2).phase()).isEqualTo("Failed");
    assertThat(world.pods()).doesNotContainKey("mnist-12e8d-worker-2-r1");
  }

  /** The other way round: the node comes back without the pod's mark. */
  @Test
  void aRecordedDisruptionStaysOne() {
    World world = running(World.workers(3, "Never") + ELASTIC);
    world.exit("worker", 2, 143);
    ObservedPod failed = world.pod("mnist-12e8d-worker-2");
    world.see(World.disrupted(failed, world.now()));
    world.settle();
    assertThat(replica(world, 2).cause()).isEqualTo("Disruption");
    world.see(failed);
    world.settle();
    assertThat(replica(world, 2).cause()).isEqualTo("Disruption");
  }

  @Test
  void aFailureWhoseDecisionWaitsIsChargedThoughADrainMarksItsPod() {
    World world = running(World.workers(3, "OnFailure") + "torchrunConfig: {enabled: true}\n");
    world.exit("worker", 1, 1);
    world.settle();
    assertThat(world.status().attempt()).isZero();
    world.see(World.disrupted(world.pod("mnist-12e8d-worker-1"), world.now()));
    world.settle();
    world.vanish("mnist-12e8d-worker-1");
    world.pass(Duration.ofSeconds(10));
    world.settle();

    assertThat(world.status().attempt()).isEqualTo(1);
    assertThat(world.status().backoffCount()).isEqualTo(1);
    assertThat(world.status().disruptionCount()).isZero();
  }

  /** Its kubelet says how it ended when the operator has seen and told of the deletion already. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aToleratedFailureOfBeforeTheDeletionOfItsPodIsToldOfAsWhatItWas(boolean masterFails) {
    World world = running(World.workers(3, "Never") + ELASTIC);
    world.pass(Duration.ofMinutes(1));
    Instant failedAt = world.now();
    world.pass(Duration.ofSeconds(2));
    ObservedPod pod = World.deleted(world.pod("mnist-12e8d-worker-2"), world.now());
    world.see(pod);
    world.settle();
    assertThat(Objects.requireNonNull(world.status().lastFailure()).reason()).isEqualTo("Deleted");
    world.see(
        World.deleted(
            World.in(
                pod,
                ObservedPod.Phase.FAILED,
                List.of(ended("pytorch", false, 42, "Error", failedAt))),
            world.now()));
    if (masterFails) {
      world.exit("worker", 0, 1);
    }
    world.settle();

    var failure = Objects.requireNonNull(world.status().lastFailure());
    assertThat(failure.replica()).isEqualTo("worker-2");
    assertThat(failure.cause()).isEqualTo("Application");
    assertThat(failure.exitCode()).isEqualTo(42);
    assertThat(replica(world, 2).cause()).isNull();
    assertNothingHappened(world);
    world.vanish(pod.name());
    world.pass(Duration.ofSeconds(1));
    world.settle();
    assertThat(world.status().lastFailure()).isEqualTo(failure);
    assertThat(replica(world, 2).phase()).isEqualTo("Failed");
    assertNothingHappened(world);
  }

  /** What it came to after it was told to stop is a consequence. */
  @Test
  void aToleratedDeletionStaysOneWhateverThePodEndsWith() {
    World world = running(World.workers(3, "Never") + ELASTIC);
    ObservedPod pod = World.deleted(world.pod("mnist-12e8d-worker-2"), world.now());
    world.see(pod);
    world.settle();
    var told = world.status().lastFailure();
    world.pass(Duration.ofSeconds(2));
    world.see(
        World.deleted(
            World.in(
                pod,
                ObservedPod.Phase.FAILED,
                List.of(ended("pytorch", false, 143, "Error", world.now()))),
            Objects.requireNonNull(pod.deletionRequestedAt())));
    world.settle();
    assertThat(world.status().lastFailure()).isEqualTo(told);
    world.vanish(pod.name());
    world.settle();
    assertThat(world.status().lastFailure()).isEqualTo(told);
  }

  /** A sidecar is listed first, and is stopped once the others have ended. */
  @ParameterizedTest
  @CsvSource({"true, 42, 0", "false, 42, 2", "true, 137, 0"})
  void theCodeThatIsRecordedIsThatOfTheContainerThatFailedFirst(
      boolean init, int code, int earlier) {
    World world = running(World.workers(3, "ExitCode") + ELASTIC);
    ObservedPod pod = world.pod("mnist-12e8d-worker-2");
    world.see(
        World.in(
            pod,
            ObservedPod.Phase.FAILED,
            List.of(
                ended("logs", init, 143, "Stopped", world.now()),
                ended("python", false, code, "Error", world.now().minusSeconds(earlier)))));
    if (code == 42) {
      world.settle();
      var failure = world.status().lastFailure();
      assertThat(Objects.requireNonNull(failure).exitCode()).isEqualTo(42);
    }
    Ledger.RecordedEnd end = JobReport.of(world.observe(), world.plan()).replicas().get(2).end();
    if (code == 42) {
      assertThat(end).isEqualTo(new Ledger.RecordedEnd(false, false, 42, "Error"));
      assertThat(
              Objects.requireNonNull(
                      StatusReader.ledger(
                              StatusOfBefore.of(world.status()), new JobNames("mnist-12e8d", "ns"))
                          .slots()
                          .get(new ReplicaId("worker", 2)))
                  .end())
          .as("read from a status of the version before")
          .isEqualTo(end);
      world.vanish("mnist-12e8d-worker-2");
      world.settle();
      assertNothingHappened(world);
      assertThat(world.pods()).doesNotContainKey("mnist-12e8d-worker-2-r1");
    } else {
      world.settle();
      assertThat(world.status().backoffCount()).isEqualTo(1);
    }
  }

  private static ObservedContainer ended(
      String name, boolean init, int code, String reason, Instant at) {
    return new ObservedContainer(
        name, init, ObservedContainer.State.TERMINATED, reason, null, code, null, at);
  }

  /** It has been decided on; what the user edits afterwards is for failures to come. */
  @ParameterizedTest
  @ValueSource(strings = {"OnFailure", "ExitCode"})
  void aToleratedFailureStaysOneWhenTheBudgetIsRaised(String policy) {
    String spec = World.workers(3, policy) + ELASTIC;
    World world = running(spec + "runPolicy: {backoffLimit: 0, restartScope: Replica}\n");
    world.exit("worker", 2, 137);
    world.settle();
    var failure = world.status().lastFailure();
    world.edit(spec + "runPolicy: {backoffLimit: 5, restartScope: Replica}\n");
    world.settle();
    world.vanish("mnist-12e8d-worker-2");
    world.pass(Duration.ofMinutes(1));
    world.settle();

    assertNothingHappened(world);
    assertThat(world.status().lastFailure()).isEqualTo(failure);
    assertThat(replica(world, 2).phase()).isEqualTo("Failed");

    world.exit("worker", 1, 137);
    world.settle();
    assertThat(world.status().backoffCount()).as("the failure of another").isEqualTo(1);
    assertThat(world.pods()).doesNotContainKey("mnist-12e8d-worker-2-r1");
  }

  /** Fewer than min are left: the end does not call a limit used up that was raised. */
  @Test
  void aToleratedFailureThatEndsTheJobAfterTheBudgetIsRaisedSaysSo() {
    String spec = World.workers(4, "OnFailure") + "torchrunConfig: {enabled: true}\n";
    String elastic = "elastic: {enabled: true, minReplicas: 3, maxReplicas: 4, expectedReplicas: ";
    World world = running(spec + elastic + "4}\nrunPolicy: {backoffLimit: 0}\n");
    world.exit("worker", 1, 137);
    world.settle();
    world.edit(spec + elastic + "4}\nrunPolicy: {backoffLimit: 2}\n");
    world.settle();
    world.pass(Duration.ofMinutes(1));
    world.exit("worker", 3, 137);
    world.edit(spec + elastic + "3}\nrunPolicy: {backoffLimit: 2}\n");
    world.settle();

    assertThat(world.status().columns().reason()).isEqualTo("BackoffLimitExceeded");
    assertThat(Objects.requireNonNull(world.status().conditions()).toString())
        .contains(
            "pod mnist-12e8d-worker-1 (worker-1) failed with exit code 137",
            "; the backoffLimit was used up when the job went on without worker-1, and fewer than"
                + " minReplicas are left")
        .doesNotContain("the backoffLimit of 2");
  }

  @Test
  void anAttemptStartsTheDoneAnewAlthoughTheirPodsAreGone() {
    World world = running(World.workers(3, "OnFailure"));
    world.exit("worker", 1, 0);
    world.settle();
    world.vanish("mnist-12e8d-worker-1");
    world.settle();
    world.exit("worker", 2, 1);
    world.settle();

    assertThat(world.status().attempt()).isEqualTo(1);
    assertThat(world.status().backoffCount()).isEqualTo(1);
    assertThat(world.pods()).containsKey("mnist-12e8d-worker-1-r1");
  }

  @Test
  void alwaysRunsAgainWhatIsDoneAlthoughItsPodIsGone() {
    World world = running(World.workers(2, "Always") + "runPolicy: {restartScope: Replica}\n");
    world.exit("worker", 1, 0);
    world.settle();
    assertThat(world.pods()).containsKey("mnist-12e8d-worker-1-r1");
    assertThat(world.status().backoffCount()).isZero();
  }

  @Test
  void aPodThatVanishesWhileItRunsIsADisruption() {
    World world = running(World.workers(2, "OnFailure"));
    world.vanish("mnist-12e8d-worker-1");
    world.settle();
    assertThat(world.status().disruptionCount()).isEqualTo(1);
  }

  /** A killed operator has created its pod, and no status has listed it. */
  @Test
  void theStatusOfAnEndedJobListsTheNewReplicaWhoseFailureEndedIt() {
    World world = running(World.workers(2, "Never"));
    String before = Serialization.asJson(world.stored());
    world.edit(World.workers(4, "Never"));
    world.step();
    world.vanish("mnist-12e8d-worker-2");
    world.store(before);
    world.exit("worker", 3, 1);
    world.settle();

    assertThat(world.status().phase()).isEqualTo("Failed");
    assertThat(replica(world, 2).name()).isEqualTo("mnist-12e8d-worker-3");
    assertThat(replica(world, 2).phase()).isEqualTo("Failed");
  }
}
