package dev.tensorstack.training.kind.pytorchjob;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.model.JobPhase;
import dev.tensorstack.training.core.model.JobSummary;
import dev.tensorstack.training.core.plan.PlannedAction;
import dev.tensorstack.training.core.report.JobTransition;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJobStatus;
import dev.tensorstack.training.kind.pytorchjob.v1.ReplicaStatus;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs that Kubeflow's operator has begun. */
class ForeignStatusTest {

  private static final Instant FIRST_LOOK = Instant.parse("2025-12-31T12:00:01Z");

  private static Scene running() {
    return Scene.taken("running").withPod("master", 0).withPod("worker", 0).withPod("worker", 1);
  }

  private static Scene elastic() {
    return Scene.taken("elastic").withPod("worker", 0).withPod("worker", 1).withPod("worker", 2);
  }

  private static boolean hasCreated(Scene scene) {
    return scene.facts().stream().anyMatch(JobTransition.Created.class::isInstance);
  }

  private static Map<String, ReplicaStatus> replicas(Scene scene) {
    return Objects.requireNonNull(scene.status().replicaStatuses());
  }

  private static int active(Scene scene, String type) {
    return Objects.requireNonNull(
        Objects.requireNonNull(replicas(scene).get(type)).active(), "active");
  }

  @ParameterizedTest
  @CsvSource({
    "succeeded, true, 2025-12-31T12:59:59Z",
    "failed, false, 2025-12-31T12:59:58Z",
    // As the Go operator leaves it now and then: the condition says when.
    "failed-without-completion-time, false, 2025-12-31T13:00:00Z",
  })
  void howAndWhenAJobHasEndedIsRead(String name, boolean succeeded, Instant completed) {
    Scene scene = Scene.taken(name);
    Ledger ledger = scene.read().ledger();

    assertThat(ledger.completionTime()).isEqualTo(completed);
    assertThat(ledger.startTime()).isEqualTo(FIRST_LOOK);
    Ledger.Outcome outcome = Objects.requireNonNull(ledger.outcome());
    assertThat(outcome.succeeded()).isEqualTo(succeeded);
    assertThat(outcome.message()).startsWith("PyTorchJob " + name + " is ");
    JobSummary summary = Objects.requireNonNull(scene.kind().summary(scene.stored()));
    assertThat(summary.phase()).isEqualTo(succeeded ? JobPhase.Succeeded : JobPhase.Failed);
    assertThat(summary.message()).isEqualTo(outcome.message());
  }

  @ParameterizedTest
  @ValueSource(strings = {"succeeded", "failed", "failed-without-completion-time"})
  void aJobThatHasEndedIsNotWritten(String name) {
    Scene scene = Scene.taken(name).withPod("master", 0).withPod("worker", 0);
    PyTorchJobStatus before = scene.status();

    assertThat(scene.next().getStatus()).isEqualTo(before);
    scene.settle();
    scene.pass(Duration.ofHours(1));
    scene.settle();

    assertThat(scene.writes()).isZero();
    assertThat(scene.told()).isEmpty();
    assertThat(scene.facts()).isEmpty();
    assertThat(scene.actions()).as("no pod and no Service again").isEmpty();
    assertThat(scene.status()).isEqualTo(before);
    assertThat(scene.status().ledger()).isNull();
  }

  @ParameterizedTest
  @CsvSource({
    "succeeded, 2026-01-01T12:59:59Z",
    "failed, 2026-01-01T12:59:58Z",
    "failed-without-completion-time, 2026-01-01T13:00:00Z",
  })
  void aJobThatHasEndedGoesAfterItsTimeToLive(String name, Instant end) {
    Scene scene = Scene.taken(name);
    scene.pass(Duration.between(scene.now(), end).minusSeconds(1));
    scene.settle();
    assertThat(scene.actions()).isEmpty();

    scene.pass(Duration.ofSeconds(1));
    scene.step();

    assertThat(scene.actions())
        .singleElement()
        .isEqualTo(new PlannedAction.DeleteJob(scene.stored().getMetadata().getUid()));
  }

  @Test
  void whatIsSuspendedAfterTheEndStaysEnded() {
    Scene scene = Scene.taken("succeeded");
    PyTorchJobStatus before = scene.status();
    scene.edit(
        """
        pytorchReplicaSpecs:
          Master: {template: {spec: {containers: [{name: pytorch, image: i}]}}}
        runPolicy: {suspend: true}
        """);

    scene.settle();

    assertThat(scene.status()).isEqualTo(before);
  }

  @ParameterizedTest
  @ValueSource(strings = {"suspended-at-creation", "suspended-after-running"})
  void aSuspendedJobStaysSuspended(String name) {
    Scene scene = Scene.taken(name);
    List<String> conditions = scene.conditions();
    String start = scene.status().startTime();
    assertThat(scene.read().ledger().pause()).isEqualTo(Ledger.Pause.PAUSED);
    assertThat(Objects.requireNonNull(scene.read().summary()).phase()).isEqualTo(JobPhase.Paused);

    scene.settle();

    assertThat(scene.actions()).isEmpty();
    assertThat(scene.told()).isEmpty();
    assertThat(scene.facts()).isEmpty();
    assertThat(scene.conditions()).isEqualTo(conditions);
    assertThat(scene.status().startTime()).isEqualTo(start);
    assertThat(scene.status().ledger()).isNotNull();
    assertThat(scene.writes()).isEqualTo(1);
  }

  /** Kubeflow's operator says suspended before the pods are gone. */
  @Test
  void podsOfASuspendedJobThatAreStillThereGo() {
    Scene scene = Scene.taken("suspended-after-running").withPod("master", 0).withPod("worker", 1);

    scene.settle();

    assertThat(scene.pods()).isEmpty();
    assertThat(scene.services()).isEmpty();
    assertThat(active(scene, "Worker")).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"suspended-at-creation", "suspended-after-running"})
  void aSuspendedJobIsResumedWithAStartTimeOfItsOwn(String name) {
    Scene scene = Scene.taken(name);
    scene.settle();
    scene.pass(Duration.ofHours(1));
    scene.edit(
        """
        pytorchReplicaSpecs:
          Master: {template: {spec: {containers: [{name: pytorch, image: i}]}}}
          Worker: {replicas: 2, template: {spec: {containers: [{name: pytorch, image: i}]}}}
        runPolicy: {suspend: false}
        """);

    scene.settle();
    scene.allRun();
    scene.settle();

    assertThat(scene.pods()).hasSize(3);
    assertThat(scene.services()).hasSize(3);
    assertThat(scene.conditions())
        .containsOnlyOnce("Created True PyTorchJobCreated")
        .contains("Suspended False PyTorchJobResumed")
        .endsWith("Running True PyTorchJobRunning");
    assertThat(scene.status().startTime()).isEqualTo(scene.now().toString());
    assertThat(scene.facts()).as("a resume is no start").isEmpty();
  }

  @Test
  void aRunningJobGoesOnFromWhatStandsThere() {
    Scene scene = running();
    PyTorchJobStatus before = scene.status();
    scene.settle();

    assertThat(scene.status().conditions()).isEqualTo(before.conditions());
    assertThat(scene.status().startTime()).isEqualTo(before.startTime());
    assertThat(scene.status().ledger()).isNotNull();
    assertThat(scene.read().ledger().startTime()).isEqualTo(FIRST_LOOK);
    assertThat(active(scene, "Master")).isEqualTo(1);
    assertThat(active(scene, "Worker")).isEqualTo(2);
    assertThat(scene.writes()).as("a quiet job is not written").isEqualTo(1);

    scene.exit("running-master-0", 0);
    scene.settle();
    assertThat(scene.conditions())
        .containsExactly(
            "Created True PyTorchJobCreated",
            "Running False PyTorchJobRunning",
            "Succeeded True PyTorchJobSucceeded");
    assertThat(scene.condition("Created").message()).isEqualTo("PyTorchJob running is created.");
  }

  @Test
  void podsAndServicesOfARunningJobAreAdopted() {
    Scene scene = running();
    Map<String, Pod> pods = Map.copyOf(scene.pods());

    scene.settle();
    scene.pass(Duration.ofMinutes(10));
    scene.settle();

    assertThat(scene.actions()).isEmpty();
    assertThat(scene.pods()).isEqualTo(pods);
  }

  @Test
  void aMissingServiceOfARunningJobIsMadeAgain() {
    Scene scene = running();
    scene.services().remove("running-worker-1");

    scene.settle();

    assertThat(scene.actions())
        .singleElement()
        .isInstanceOfSatisfying(
            PlannedAction.CreateService.class,
            create -> assertThat(create.name()).isEqualTo("running-worker-1"));
  }

  @Test
  void aRunningJobIsNeitherToldNorCountedAgain() {
    Scene scene = running();

    scene.settle();

    assertThat(scene.facts()).isEmpty();
    assertThat(scene.told()).as("Kubeflow's operator has told it").isEmpty();
  }

  @Test
  void countsBeginWithWhatThePodsShow() {
    Scene scene = running();
    scene.running("running-worker-1", 2);
    assertThat(scene.read().ledger().counts()).isEqualTo(Ledger.Counts.ZERO);

    scene.settle();

    assertThat(scene.read().ledger().counts().backoff()).isEqualTo(2);
    assertThat(scene.pods()).hasSize(3);
    scene.pass(Duration.ofMinutes(10));
    scene.settle();
    assertThat(scene.read().ledger().counts().backoff()).as("each once").isEqualTo(2);

    scene.running("running-worker-0", 4);
    scene.settle();
    assertThat(scene.conditions()).as("the limit is 5").last().asString().startsWith("Failed True");
  }

  @Test
  void aJobThatWasRestartingRunsOnceItsReplicaIsBack() {
    Scene scene = Scene.taken("restarting").withPod("master", 0).withPod("worker", 0);
    Map<String, Pod> pods = Map.copyOf(scene.pods());
    assertThat(hasCreated(scene)).isFalse();

    scene.settle();

    assertThat(scene.pods()).as("the one that was missing").containsKey("restarting-worker-1");
    assertThat(scene.pods()).as("the others stay").containsAllEntriesOf(pods);
    scene.allRun();
    scene.settle();
    assertThat(scene.conditions())
        .containsExactly("Created True PyTorchJobCreated", "Running True PyTorchJobRunning");
    assertThat(scene.status().startTime()).isEqualTo(FIRST_LOOK.toString());
    assertThat(hasCreated(scene)).isFalse();
    assertThat(scene.facts()).noneMatch(JobTransition.AllPodsRan.class::isInstance);
  }

  @Test
  void anElasticJobRunsOnWithTheWorkersThatItHas() {
    Scene scene = elastic();

    scene.settle();

    assertThat(scene.actions())
        .as("the HPA is ours to make, and nothing else")
        .allMatch(PlannedAction.ApplyDependent.class::isInstance);
    assertThat(active(scene, "Worker")).isEqualTo(3);
    assertThat(replicas(scene)).containsOnlyKeys("Worker");
    scene.exit("elastic-worker-2", 0);
    scene.settle();
    assertThat(scene.conditions()).last().isEqualTo("Succeeded True PyTorchJobSucceeded");
  }

  /** Kubeflow's operator has accepted it, and it runs. */
  @ParameterizedTest
  @ValueSource(strings = {"running", "suspended-at-creation", "succeeded"})
  void rulesDoNotApplyToAJobWithConditions(String name) {
    String wrong =
        """
        pytorchReplicaSpecs:
          Master: {replicas: 2, template: {spec: {containers: [{name: pytorch, image: i}]}}}
        runPolicy: {backoffLimit: -1}
        """;
    Scene scene = Scene.taken(name);
    scene.edit(wrong);
    Scene fresh = Scene.of(wrong);

    assertThat(scene.kind().violations(scene.stored())).isEmpty();
    assertThat(fresh.kind().violations(fresh.stored())).isNotEmpty();
  }

  @Test
  void aStatusOfThisOperatorOrNoneIsNoForeignOne() {
    assertThat(ForeignStatus.of(null)).isNull();
    assertThat(
            ForeignStatus.of(new PyTorchJobStatus(null, null, null, null, null, null, null, null)))
        .isNull();
    assertThat(
            ForeignStatus.of(
                new PyTorchJobStatus(List.of(), null, null, null, null, null, null, null)))
        .as("no word yet")
        .isNull();
    Scene scene = running();
    assertThat(ForeignStatus.of(scene.status())).isNotNull();
    scene.settle();
    assertThat(ForeignStatus.of(scene.status())).as("after the first report").isNull();
  }

  /** Times that nobody can read are as if they were missing. */
  @Test
  void anUnreadableTimeHoldsNothingUp() {
    Scene scene = Scene.taken("failed");
    PyTorchJobStatus status = scene.status();
    PyTorchJobStatus odd =
        new PyTorchJobStatus(
            status.conditions(),
            status.replicaStatuses(),
            "noon",
            "midnight",
            null,
            null,
            null,
            null);

    Ledger ledger = Objects.requireNonNull(ForeignStatus.of(odd)).ledger();

    assertThat(ledger.startTime()).isNull();
    assertThat(ledger.completionTime()).isEqualTo("2025-12-31T13:00:00Z");
  }
}
