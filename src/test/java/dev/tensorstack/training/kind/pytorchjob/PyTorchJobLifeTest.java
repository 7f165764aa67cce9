package dev.tensorstack.training.kind.pytorchjob;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.gang.VolcanoGang;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJobStatus;
import dev.tensorstack.training.kind.pytorchjob.v1.ReplicaStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of a PyTorchJob whose pods fail, as {@link PyTorchJobKind} reads it. */
class PyTorchJobLifeTest {

  private static final String RESTARTING = "PyTorchJobRestarting";

  private static Scene running(String policy, String runPolicy) {
    Scene scene =
        Scene.of(
                """
                runPolicy: {%2$s}
                pytorchReplicaSpecs:
                  Master:
                    template: {spec: {containers: [{name: pytorch, image: i}]}}
                  Worker:
                    restartPolicy: %1$s
                    template: {spec: {containers: [{name: pytorch, image: i}]}}
                """
                    .formatted(policy, runPolicy))
            .settle();
    scene.allRun();
    return scene.settle();
  }

  private static String last(Scene scene) {
    return scene.conditions().get(scene.conditions().size() - 1);
  }

  @ParameterizedTest
  @CsvSource({
    "130, 3,   Running True PyTorchJobRunning",
    "5,   137, Failed True PyTorchJobFailed",
    "255, 0,   Running True PyTorchJobRunning",
  })
  void theExitCodeOfASidecarDecidesNothing(int code, int sidecar, String condition) {
    Scene scene = running("ExitCode", "");
    scene.exitWithSidecar("mnist-worker-0", code, sidecar);
    scene.settle();
    assertThat(last(scene)).isEqualTo(condition);
    assertThat(scene.told().stream().anyMatch(event -> event.contains(RESTARTING)))
        .isEqualTo(condition.startsWith("Running"));
    assertThat(scene.told()).anyMatch(event -> event.contains("exited with code " + code));
  }

  @Test
  void aSidecarThatAloneHasFailedIsNamedWithItsExitCode() {
    Scene scene = running("ExitCode", "");
    scene.exitWithSidecar("mnist-worker-0", 0, 8);
    scene.settle();
    assertThat(scene.condition("Failed").message())
        .contains("pod mnist-worker-0", "exit code 0", "container sidecar exited with code 8");
  }

  /** The kubelet writes the phase after it has torn down the pod. */
  @Test
  void aMasterThatIsDoneIsDoneBeforeItsPhaseSaysSo() {
    Scene scene = running("OnFailure", "backoffLimit: 0");
    scene.exit("mnist-master-0", 0);
    scene.phase("mnist-master-0", "Running");
    scene.exit("mnist-worker-0", 1);
    scene.phase("mnist-worker-0", "Running");
    scene.settle();
    assertThat(last(scene)).isEqualTo("Succeeded True PyTorchJobSucceeded");
  }

  /** The master's node says a moment after the worker's that it is done. */
  @Test
  void aWorkerThatFailsWithoutARestartLeftDoesNotFailAJobWhoseMasterIsDone() {
    Scene scene = running("OnFailure", "backoffLimit: 0").plainFailureGrace(Duration.ofSeconds(3));
    scene.exit("mnist-worker-0", 1);
    scene.phase("mnist-worker-0", "Running");
    Pod stopping =
        new PodBuilder(scene.pods().get("mnist-worker-0"))
            .editMetadata()
            .withDeletionTimestamp(scene.now().toString())
            .endMetadata()
            .build();
    scene.settle();
    assertThat(last(scene)).isEqualTo("Running True PyTorchJobRunning");
    assertThat(scene.pods()).as("is not started again").containsOnlyKeys("mnist-master-0");
    assertThat(scene.read().ledger().ending()).isNotNull();
    scene.pass(Duration.ofSeconds(1));
    scene.settle();
    assertThat(scene.pods()).as("nor is another pod created").hasSize(1);
    scene.pods().put("mnist-worker-0", stopping);
    scene.exit("mnist-master-0", 0);
    scene.settle();
    assertThat(last(scene)).isEqualTo("Succeeded True PyTorchJobSucceeded");
    assertThat(scene.status().replicaStatuses().get("Worker"))
        .extracting(ReplicaStatus::active, ReplicaStatus::succeeded, ReplicaStatus::failed)
        .as("though its pod is not gone yet")
        .containsExactly(0, 0, 1);
    assertThat(scene.read().ledger().counts().backoff()).isZero();
    assertThat(scene.told().stream().filter(event -> event.contains("exited with code 1")))
        .as("told once")
        .hasSize(1);
    assertThat(scene.told()).filteredOn(event -> event.contains("Deleted pods: ")).hasSize(1);
  }

  @Test
  void aWorkerThatFailsWithoutARestartLeftFailsTheJobAMomentLater() {
    Scene scene = running("OnFailure", "backoffLimit: 0").plainFailureGrace(Duration.ofSeconds(3));
    scene.exit("mnist-worker-0", 7);
    scene.phase("mnist-worker-0", "Running");
    scene.settle();
    assertThat(last(scene)).isEqualTo("Running True PyTorchJobRunning");
    scene.pass(Duration.ofSeconds(3));
    scene.settle();
    assertThat(last(scene)).isEqualTo("Failed True PyTorchJobFailed");
    assertThat(scene.condition("Failed").message())
        .contains("pod mnist-worker-0", "exit code 7", "backoffLimit of 0");
    assertThat(scene.read().ledger().ending()).isNull();
    assertThat(scene.status().replicaStatuses().get("Worker"))
        .extracting(ReplicaStatus::failed)
        .isEqualTo(1);
  }

  /** It has been decided, and nothing runs again: as after the end. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aSuspensionOrADeadlineWhileTheEndIsAwaitedChangesNothing(boolean masterIsDone) {
    Scene scene =
        running("OnFailure", "backoffLimit: 0, activeDeadlineSeconds: 1")
            .plainFailureGrace(Duration.ofSeconds(3));
    scene.exit("mnist-worker-0", 7);
    scene.phase("mnist-worker-0", "Running");
    scene.settle();
    assertThat(last(scene)).isEqualTo("Running True PyTorchJobRunning");
    scene.edit(workers(1, "backoffLimit: 0, activeDeadlineSeconds: 1, suspend: true"));
    scene.pass(Duration.ofSeconds(2));
    scene.settle();
    assertThat(last(scene)).isEqualTo("Running True PyTorchJobRunning");
    if (masterIsDone) {
      scene.exit("mnist-master-0", 0);
      scene.settle();
      assertThat(last(scene)).isEqualTo("Succeeded True PyTorchJobSucceeded");
    } else {
      scene.pass(Duration.ofSeconds(1));
      scene.settle();
      assertThat(last(scene)).isEqualTo("Failed True PyTorchJobFailed");
      assertThat(scene.condition("Failed").message()).contains("exit code 7");
    }
  }

  /** A removed worker's pod would run on after a success with the clean-up policy None. */
  @Test
  void aWorkerThatScalingTakesAwayWhileTheEndIsAwaitedGoes() {
    Scene scene = Scene.of(workers(2, "backoffLimit: 0")).plainFailureGrace(Duration.ofSeconds(3));
    scene.settle();
    scene.allRun();
    scene.settle();
    scene.exit("mnist-worker-0", 7);
    scene.phase("mnist-worker-0", "Running");
    scene.settle();
    assertThat(scene.pods()).containsOnlyKeys("mnist-master-0", "mnist-worker-1");
    scene.edit(workers(1, "backoffLimit: 0"));
    scene.settle();
    assertThat(scene.pods()).containsOnlyKeys("mnist-master-0");
    assertThat(scene.services()).doesNotContain("mnist-worker-1");
    scene.exit("mnist-master-0", 0);
    scene.settle();
    assertThat(last(scene)).isEqualTo("Succeeded True PyTorchJobSucceeded");
  }

  @Test
  void aReplicaThatIsNeverStartedAgainIsBlamedForTheContainersThatFailBesideIt() {
    Scene scene =
        Scene.of(
                """
                runPolicy: {backoffLimit: 0}
                pytorchReplicaSpecs:
                  Master:
                    restartPolicy: Never
                    template: {spec: {containers: [{name: pytorch, image: i}]}}
                  Worker:
                    restartPolicy: OnFailure
                    template: {spec: {containers: [{name: pytorch, image: i}]}}
                """)
            .settle();
    scene.allRun();
    scene.settle();
    scene.exit("mnist-master-0", 3);
    scene.exit("mnist-worker-0", 1);
    scene.phase("mnist-worker-0", "Running");
    scene.settle();
    assertThat(last(scene)).isEqualTo("Failed True PyTorchJobFailed");
    assertThat(scene.condition("Failed").message()).contains("mnist-master-0", "exit code 3");
  }

  /** Both are seen at one look, in either order of their ends. */
  @ParameterizedTest
  @ValueSource(ints = {1, -1})
  void aReplicaThatIsNeverStartedAgainIsNotBlamedForWhatItOnlySuffered(int secondsBefore) {
    Scene scene =
        Scene.of(
                """
                runPolicy: {backoffLimit: 0}
                pytorchReplicaSpecs:
                  Master:
                    restartPolicy: OnFailure
                    template: {spec: {containers: [{name: pytorch, image: i}]}}
                  Worker:
                    restartPolicy: Never
                    template: {spec: {containers: [{name: pytorch, image: i}]}}
                """)
            .settle();
    scene.allRun();
    scene.settle();
    String first = secondsBefore > 0 ? "mnist-master-0" : "mnist-worker-0";
    String second = secondsBefore > 0 ? "mnist-worker-0" : "mnist-master-0";
    scene.exit(first, 3);
    scene.pass(Duration.ofSeconds(1));
    scene.exit(second, 3);
    scene.says("mnist-worker-0", "RuntimeError: Connection closed by peer");
    scene.phase("mnist-master-0", "Running");
    scene.settle();
    assertThat(last(scene)).isEqualTo("Failed True PyTorchJobFailed");
    assertThat(scene.condition("Failed").message()).contains("mnist-master-0");
  }

  @Test
  void aSidecarThatIsStartedAgainInPlaceIsNamedAndNoExitCodeIsTheTrainings() {
    Scene scene = running("OnFailure", "");
    scene.sidecarRestarted("mnist-worker-0", 2);
    scene.settle();
    assertThat(scene.read().ledger().counts().backoff()).isEqualTo(1);
    assertThat(scene.told())
        .noneMatch(event -> event.contains("pod mnist-worker-0 exited with code 2"));
    assertThat(scene.told())
        .anyMatch(event -> event.contains("container sidecar exited with code 2"));
  }

  /** Both are seen at one look; the restarts happened, and end nothing any more. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void restartsInPlaceThatAreSeenWithTheEndCount(int limit) {
    Scene good = running("OnFailure", "backoffLimit: " + limit);
    good.exit("mnist-master-0", 0);
    good.restartCount("mnist-master-0", 1);
    good.settle();
    assertThat(last(good)).isEqualTo("Succeeded True PyTorchJobSucceeded");
    assertThat(good.read().ledger().counts().backoff()).isEqualTo(1);

    Scene late = running("OnFailure", "activeDeadlineSeconds: 60, backoffLimit: " + limit);
    late.pass(Duration.ofSeconds(61));
    late.restartedAfter("mnist-worker-0", 1, 3);
    late.settle();
    assertThat(last(late)).isEqualTo("Failed True PyTorchJobFailed");
    assertThat(late.condition("Failed").message()).contains("activeDeadlineSeconds");
    assertThat(late.read().ledger().counts().backoff()).isEqualTo(1);
  }

  @Test
  void aReplicaWhoseInitContainerFailsIsReplacedForNoExitCodeOfTheTrainingIsThere() {
    Scene scene = running("ExitCode", "");
    scene.exitInInitContainer("mnist-worker-0", 1);
    scene.settle();
    assertThat(scene.conditions()).noneMatch(one -> one.startsWith("Failed"));
    assertThat(scene.read().ledger().counts().backoff()).isEqualTo(1);
  }

  @Test
  void afterTheDeadlineNothingRunsOnAndWhatHasEndedStays() {
    Scene scene = running("OnFailure", "activeDeadlineSeconds: 60");
    scene.exit("mnist-worker-0", 0);
    scene.settle();
    scene.pass(Duration.ofSeconds(61));
    scene.settle();
    assertThat(last(scene)).isEqualTo("Failed True PyTorchJobFailed");
    assertThat(scene.pods()).containsOnlyKeys("mnist-worker-0");
    assertThat(scene.services()).containsExactly("mnist-worker-0");
  }

  @Test
  void theDeadlineIsCountedFromTheFirstLookAlsoWhileTheGangWaitsForItsQueue() {
    Scene scene =
        Scene.of(
            """
            runPolicy: {activeDeadlineSeconds: 60}
            pytorchReplicaSpecs:
              Master:
                template: {spec: {containers: [{name: pytorch, image: i}]}}
            """,
            new PyTorchJobSettings(VolcanoGang.SCHEDULER_NAME, null));
    scene.settle();
    assertThat(scene.pods()).as("nobody lets the group in").isEmpty();
    scene.pass(Duration.ofSeconds(61));
    scene.settle();
    assertThat(last(scene)).isEqualTo("Failed True PyTorchJobFailed");
  }

  @Test
  void theDeadlineIsCountedFromTheResumeAlsoWhileAPodOfAnEarlierAttemptIsStopping() {
    Scene scene = running("OnFailure", "activeDeadlineSeconds: 60");
    scene
        .stored()
        .getMetadata()
        .setAnnotations(Map.of("training.kubeflow.org/restart-scope", "Job"));
    Pod stopping =
        new PodBuilder(scene.pods().get("mnist-worker-0"))
            .editMetadata()
            .withDeletionTimestamp(scene.now().toString())
            .endMetadata()
            .build();
    scene.evict("mnist-master-0", "The node was low on resource: memory.");
    scene.edit(workers(1, "activeDeadlineSeconds: 60, suspend: true"));
    scene.settle();
    scene.pods().put("mnist-worker-0", stopping);
    scene.settle();
    scene.pass(Duration.ofHours(1));
    scene.edit(workers(1, "activeDeadlineSeconds: 60"));
    scene.settle();
    Instant resumed = scene.now();
    assertThat(scene.status().startTime()).isEqualTo(resumed.toString());
    assertThat(scene.read().ledger().startTime()).isEqualTo(resumed);
    scene.pass(Duration.ofSeconds(30));
    scene.pods().remove("mnist-worker-0");
    scene.settle();
    assertThat(scene.pods()).hasSize(2);
    scene.pass(Duration.ofSeconds(30));
    scene.settle();
    assertThat(last(scene)).isEqualTo("Failed True PyTorchJobFailed");
  }

  @Test
  void aPodThatIsDeletedCostsNothingAndComesAgainWithoutTheLimit() {
    Scene scene = running("OnFailure", "backoffLimit: 0");
    scene.delete("mnist-worker-0");
    scene.step();
    assertThat(scene.condition("Restarting").message()).contains("worker-0 was deleted");
    scene.settle();
    assertThat(scene.told()).anyMatch(event -> event.contains(RESTARTING));
    scene.allRun();
    scene.settle();
    assertThat(last(scene)).isEqualTo("Running True PyTorchJobRunning");
    assertThat(scene.read().ledger().counts().backoff()).isZero();
  }

  @Test
  void scalingDownAndUpAgainIsNoRestart() {
    Scene scene = running("OnFailure", "");
    String two =
        """
        pytorchReplicaSpecs:
          Master:
            template: {spec: {containers: [{name: pytorch, image: i}]}}
          Worker:
            replicas: %d
            template: {spec: {containers: [{name: pytorch, image: i}]}}
        """;
    for (int workers : new int[] {3, 1, 3}) {
      scene.edit(two.formatted(workers));
      scene.settle();
      scene.allRun();
      scene.settle();
      assertThat(scene.pods()).hasSize(workers + 1);
      assertThat(last(scene)).isEqualTo("Running True PyTorchJobRunning");
    }
    assertThat(scene.told()).noneMatch(event -> event.contains(RESTARTING));
  }

  private static String workers(int workers, String runPolicy) {
    return """
        runPolicy: {%2$s}
        pytorchReplicaSpecs:
          Master:
            template: {spec: {containers: [{name: pytorch, image: i}]}}
          Worker:
            replicas: %1$d
            template: {spec: {containers: [{name: pytorch, image: i}]}}
        """
        .formatted(workers, runPolicy);
  }

  @Test
  void aDoneWorkerThatScalingTakesAwayGoesWithItsService() {
    Scene scene = Scene.of(workers(2, "")).settle();
    scene.allRun();
    scene.exit("mnist-worker-1", 0);
    scene.settle();
    assertThat(scene.pods()).hasSize(3);
    scene.edit(workers(1, ""));
    scene.settle();
    assertThat(scene.pods()).containsOnlyKeys("mnist-master-0", "mnist-worker-0");
    assertThat(scene.services()).containsExactlyInAnyOrder("mnist-master-0", "mnist-worker-0");
  }

  @Test
  void scalingAfterTheEndChangesNothing() {
    Scene scene = Scene.of(workers(2, "activeDeadlineSeconds: 60")).settle();
    scene.allRun();
    scene.settle();
    scene.exit("mnist-worker-1", 0);
    scene.settle();
    scene.pass(Duration.ofSeconds(61));
    scene.settle();
    assertThat(last(scene)).isEqualTo("Failed True PyTorchJobFailed");
    PyTorchJobStatus ended = scene.status();
    for (int workers : new int[] {1, 4, 2}) {
      scene.edit(workers(workers, "activeDeadlineSeconds: 60"));
      scene.settle();
      assertThat(scene.status().replicaStatuses()).isEqualTo(ended.replicaStatuses());
      assertThat(scene.status().ledger())
          .as("all but which generation was seen")
          .usingRecursiveComparison()
          .ignoringFields("summary.generation")
          .isEqualTo(ended.ledger());
    }
  }

  @Test
  void theDeadlineCountsFromTheStartTimeAlsoWhileNoPodMayCome() {
    PyTorchJobSettings volcano = new PyTorchJobSettings(VolcanoGang.SCHEDULER_NAME, null);
    Scene scene = Scene.of(workers(1, "activeDeadlineSeconds: 60"), volcano).settle();
    assertThat(scene.pods()).isEmpty();
    assertThat(scene.status().startTime()).isEqualTo(scene.now().toString());
    scene.pass(Duration.ofSeconds(59));
    scene.settle();
    assertThat(last(scene)).isEqualTo("Created True PyTorchJobCreated");
    scene.pass(Duration.ofSeconds(1));
    scene.settle();
    assertThat(last(scene)).isEqualTo("Failed True PyTorchJobFailed");
    assertThat(scene.condition("Failed").message()).contains("activeDeadlineSeconds");
  }
}
