package dev.tensorstack.training.kind.pytorchjob;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.gang.VolcanoGang;
import dev.tensorstack.training.core.naming.ObjectKind;
import dev.tensorstack.training.core.observe.ObjectWrite;
import dev.tensorstack.training.core.observe.WriteFailure;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a user reads in {@code kubectl describe pytorchjob}. */
class PyTorchJobEventsTest {

  private static final PyTorchJobSettings VOLCANO =
      new PyTorchJobSettings(VolcanoGang.SCHEDULER_NAME, null);

  private static String spec(String policy, int workers, String more) {
    return """
        pytorchReplicaSpecs:
          Master:
            restartPolicy: %1$s
            template: {spec: {containers: [{name: pytorch, image: i}]}}
          Worker:
            replicas: %2$d
            restartPolicy: %1$s
            template: {spec: {containers: [{name: pytorch, image: i}]}}
        runPolicy: {%3$s}
        """
        .formatted(policy, workers, more);
  }

  private static String withTemplate(String pod) {
    return """
        pytorchReplicaSpecs:
          Master: {template: {spec: {%1$s, containers: [{name: pytorch, image: i}]}}}
          Worker: {template: {spec: {%1$s, containers: [{name: pytorch, image: i}]}}}
        """
        .formatted(pod);
  }

  private static Scene running(String spec) {
    Scene scene = Scene.of(spec).settle();
    scene.allRun();
    return scene.settle();
  }

  private static List<String> since(Scene scene, int before) {
    return scene.told().subList(before, scene.told().size());
  }

  @Test
  void aGoodLifeIsToldOnceAndInOrder() {
    Scene scene = running(spec("OnFailure", 2, ""));
    scene.exit("mnist-master-0", 0);
    scene.settle();
    scene.pass(Duration.ofHours(1));
    scene.settle();

    assertThat(scene.told())
        .containsExactly(
            "Normal PyTorchJobCreated: PyTorchJob ns/mnist is created.",
            "Normal SuccessfulCreatePod: Created pods: mnist-master-0, mnist-worker-0,"
                + " mnist-worker-1",
            "Normal SuccessfulCreateService: Created services: mnist-master-0, mnist-worker-0,"
                + " mnist-worker-1",
            "Normal PyTorchJobRunning: PyTorchJob ns/mnist is running.",
            "Normal PyTorchJobSucceeded: " + scene.condition("Succeeded").message());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "1 | Created pods: mnist-master-0, mnist-worker-0",
        "2 | Created pods: mnist-master-0, mnist-worker-0, mnist-worker-1",
        "3 | Created pods: mnist-master-0, mnist-worker-0, mnist-worker-1 and 1 more",
        "99 | Created pods: mnist-master-0, mnist-worker-0, mnist-worker-1 and 97 more",
      })
  void ofManyPodsThreeAreNamedInOneEvent(int workers, String message) {
    Scene scene = running(spec("OnFailure", workers, ""));

    assertThat(scene.told())
        .filteredOn(event -> event.contains("SuccessfulCreatePod"))
        .containsExactly("Normal SuccessfulCreatePod: " + message);
    assertThat(scene.told())
        .filteredOn(event -> event.contains("SuccessfulCreateService"))
        .containsExactly(
            "Normal SuccessfulCreateService: "
                + message.replace("Created pods", "Created services"));
  }

  @Test
  void aRetryableExitCodeIsAWarningAndSoIsTheRestart() {
    Scene scene = running(spec("ExitCode", 2, ""));
    int before = scene.told().size();
    scene.exit("mnist-worker-1", 137);
    scene.settle();

    assertThat(since(scene, before))
        .satisfiesExactly(
            code ->
                assertThat(code)
                    .startsWith("Warning ExitedWithCode: pod mnist-worker-1")
                    .contains("exited with code 137"),
            restart ->
                assertThat(restart)
                    .startsWith(
                        "Warning PyTorchJobRestarting: PyTorchJob ns/mnist is restarting because"
                            + " pod mnist-worker-1 failed."),
            gone ->
                assertThat(gone)
                    .isEqualTo("Normal SuccessfulDeletePod: Deleted pods: mnist-worker-1"),
            pod -> assertThat(pod).isEqualTo("Normal SuccessfulCreatePod: created mnist-worker-1"),
            running -> assertThat(running).startsWith("Normal PyTorchJobRunning: "));
    scene.allRun();
    scene.settle();
    assertThat(since(scene, before)).hasSize(5);
  }

  @Test
  void aPermanentExitCodeFailsTheJobAndTellsOfNoRestart() {
    Scene scene = running(spec("ExitCode", 2, ""));
    int before = scene.told().size();
    scene.exit("mnist-worker-1", 1);
    scene.settle();

    assertThat(since(scene, before))
        .satisfiesExactly(
            code -> assertThat(code).startsWith("Warning ExitedWithCode: ").contains("code 1"),
            end ->
                assertThat(end)
                    .isEqualTo("Warning PyTorchJobFailed: " + scene.condition("Failed").message()));
  }

  /** Evicted pods have no exit code; what the kubelet says of them may be about one. */
  @Test
  void aFailureWithoutAnExitCodeIsNotCalledOne() {
    Scene scene = running(spec("Never", 1, ""));
    int before = scene.told().size();
    scene.evict("mnist-worker-0", "the exit code of the container is not known");
    scene.settle();

    assertThat(since(scene, before))
        .noneMatch(event -> event.contains("ExitedWithCode"))
        .anyMatch(event -> event.startsWith("Warning ReplicaFailed: pod mnist-worker-0"));
  }

  /**
   * The job goes on running, and its condition says so; the container's end is told by its code.
   */
  @Test
  void aRestartInPlaceIsToldByItsExitCodeAndNotAsOneOfTheJob() {
    Scene scene = running(spec("OnFailure", 1, "backoffLimit: 3"));
    int before = scene.told().size();
    scene.restartedAfter("mnist-worker-0", 1, 7);
    scene.settle();

    assertThat(scene.read().ledger().counts().backoff()).isEqualTo(1);
    assertThat(since(scene, before))
        .singleElement()
        .asString()
        .startsWith("Warning ExitedWithCode: pod mnist-worker-0")
        .contains("exited with code 7");
  }

  @Test
  void aJobThatFailsByItsBackoffLimitDoesNotSayThatItRestarts() {
    Scene scene = running(spec("OnFailure", 1, "backoffLimit: 0"));
    int before = scene.told().size();
    scene.restartedAfter("mnist-worker-0", 1, 7);
    scene.settle();

    assertThat(since(scene, before))
        .anyMatch(event -> event.startsWith("Warning PyTorchJobFailed: "))
        .noneMatch(event -> event.contains("PyTorchJobRestarting"));
  }

  @Test
  void eachReplicaThatIsReplacedIsNamedThoughTheJobIsRestartingAlready() {
    Scene scene = running(spec("ExitCode", 2, ""));
    int before = scene.told().size();
    scene.exit("mnist-worker-0", 137);
    scene.step();
    scene.exit("mnist-worker-1", 143);
    scene.step();

    assertThat(since(scene, before))
        .filteredOn(event -> event.contains("PyTorchJobRestarting"))
        .satisfiesExactly(
            first -> assertThat(first).contains("pod mnist-worker-0 failed", "counted: 1"),
            second -> assertThat(second).contains("pod mnist-worker-1 failed", "counted: 2"));
  }

  @Test
  void aJobThatRunsTooLongFailsWithOneEvent() {
    Scene scene = running(spec("OnFailure", 1, "activeDeadlineSeconds: 60"));
    int before = scene.told().size();
    scene.pass(Duration.ofMinutes(1));
    scene.settle();

    assertThat(since(scene, before))
        .containsExactly(
            "Warning PyTorchJobFailed: " + scene.condition("Failed").message(),
            "Normal SuccessfulDeletePod: Deleted pods: mnist-master-0, mnist-worker-0",
            "Normal SuccessfulDeleteService: Deleted services: mnist-master-0, mnist-worker-0");
    assertThat(scene.condition("Failed").message()).contains("activeDeadlineSeconds of 60");
  }

  @Test
  void scalingDownSaysWhatGoesOnce() {
    Scene scene = running(spec("OnFailure", 6, ""));
    int before = scene.told().size();
    scene.edit(spec("OnFailure", 2, ""));
    scene.settle();
    scene.pass(Duration.ofHours(1));
    scene.settle();

    assertThat(since(scene, before))
        .filteredOn(event -> event.contains("SuccessfulDelete"))
        .containsExactly(
            "Normal SuccessfulDeletePod: Deleted pods: mnist-worker-2, mnist-worker-3,"
                + " mnist-worker-4 and 1 more",
            "Normal SuccessfulDeleteService: Deleted services: mnist-worker-2, mnist-worker-3,"
                + " mnist-worker-4 and 1 more");
  }

  @Test
  void scalingIsToldInWorkers() {
    Scene scene = running(spec("OnFailure", 6, ""));
    scene.edit(spec("OnFailure", 2, ""));
    scene.settle();
    long generation = scene.stored().getMetadata().getGeneration();

    assertThat(scene.told())
        .contains("Normal Scaled: from 6 to 2 Workers (generation " + generation + " of the spec)")
        .noneMatch(event -> event.contains("nodes"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "None | 0 | | ",
        "All | 0 | mnist-master-0, mnist-worker-0 | mnist-master-0, mnist-worker-0",
        "None | 1 | | ",
        "Running | 1 | mnist-worker-0 | mnist-worker-0",
        "All | 1 | mnist-master-0, mnist-worker-0 | mnist-master-0, mnist-worker-0",
      })
  void theCleanUpAfterTheEndSaysWhatGoes(String policy, int code, String pods, String services) {
    Scene scene = running(spec("ExitCode", 1, "cleanPodPolicy: " + policy));
    scene.exit("mnist-master-0", code);
    scene.settle();
    scene.pass(Duration.ofMinutes(1));
    scene.settle();

    assertThat(scene.told())
        .filteredOn(event -> event.contains("SuccessfulDelete"))
        .containsExactlyElementsOf(
            pods == null
                ? List.of()
                : List.of(
                    "Normal SuccessfulDeletePod: Deleted pods: " + pods,
                    "Normal SuccessfulDeleteService: Deleted services: " + services));
    if (pods != null) {
      assertThat(scene.pods().keySet()).doesNotContain(pods.split(", "));
      assertThat(scene.services()).doesNotContain(services.split(", "));
    }
  }

  /** They may end by themselves, and then they stay: that they were deleted would not be true. */
  @Test
  void ofPodsThatMayStillEndByThemselvesNothingIsSaid() {
    Scene scene = running(spec("OnFailure", 1, "cleanPodPolicy: Running"));
    scene.exit("mnist-master-0", 0);
    scene.settle();
    scene.exit("mnist-worker-0", 0);
    scene.pass(Duration.ofMinutes(1));
    scene.settle();

    assertThat(scene.pods()).containsKey("mnist-worker-0");
    assertThat(scene.told()).noneMatch(event -> event.contains("SuccessfulDelete"));
  }

  /** The operator deletes what failed; what somebody else has deleted, it has not. */
  @Test
  void aPodThatSomebodyElseHasDeletedIsNotCalledDeletedByTheOperator() {
    Scene scene = running(spec("OnFailure", 1, ""));
    scene.delete("mnist-worker-0");
    scene.settle();
    scene.pass(Duration.ofMinutes(10));
    scene.settle();

    assertThat(scene.pods()).containsKey("mnist-worker-0");
    assertThat(scene.told()).noneMatch(event -> event.contains("SuccessfulDelete"));
  }

  @Test
  void aSuspendedJobSaysWhatGoesAndAResumedOneWhatComes() {
    Scene scene = running(spec("OnFailure", 1, ""));
    int before = scene.told().size();
    scene.edit(spec("OnFailure", 1, "suspend: true"));
    scene.settle();
    assertThat(since(scene, before))
        .containsExactly(
            "Normal PyTorchJobSuspended: PyTorchJob ns/mnist is suspended.",
            "Normal SuccessfulDeletePod: Deleted all pods: the job is suspended",
            "Normal SuccessfulDeleteService: Deleted all services: the job is suspended");

    int suspended = scene.told().size();
    scene.edit(spec("OnFailure", 1, "suspend: false"));
    scene.settle();
    scene.allRun();
    scene.settle();
    assertThat(since(scene, suspended))
        .containsExactly(
            "Normal PyTorchJobResumed: PyTorchJob ns/mnist is resumed.",
            "Normal SuccessfulCreatePod: Created pods: mnist-master-0, mnist-worker-0",
            "Normal SuccessfulCreateService: Created services: mnist-master-0, mnist-worker-0",
            "Normal PyTorchJobRunning: PyTorchJob ns/mnist is running.");
  }

  @Test
  void whatIsStoredOfASuspendedJobNamesTheFieldOfItsKind() {
    Scene scene = running(spec("OnFailure", 1, ""));
    scene.edit(spec("OnFailure", 1, "suspend: true"));
    scene.settle();

    assertThat(scene.read().summary())
        .satisfies(
            summary ->
                assertThat(summary.message())
                    .isEqualTo("paused; set runPolicy.suspend to false to go on"));
  }

  /** An event is known by its reason and attempt: one with the same words would be dropped. */
  @Test
  void whatHappensAgainIsToldAgain() {
    Scene scene = running(spec("OnFailure", 1, ""));
    for (int round = 0; round < 2; round++) {
      scene.edit(spec("OnFailure", 1, "suspend: true"));
      scene.settle();
      scene.edit(spec("OnFailure", 1, "suspend: false"));
      scene.settle();
      scene.allRun();
      scene.settle();
    }
    scene.evict("mnist-worker-0", "no memory");
    scene.settle();
    scene.allRun();
    scene.settle();

    List<String> told =
        scene.events().stream().map(event -> event.reason() + " " + event.attempt()).toList();
    assertThat(told).doesNotHaveDuplicates();
    assertThat(told)
        .filteredOn(event -> event.startsWith("PyTorchJobSuspended "))
        .as("as often as it was suspended")
        .hasSize(2);
    assertThat(told).filteredOn(event -> event.startsWith("SuccessfulCreatePod ")).hasSize(4);
    assertThat(told).filteredOn(event -> event.startsWith("PyTorchJobRunning ")).hasSize(4);
  }

  @Test
  void aJobThatIsSuspendedAtItsCreationDeletesNothing() {
    Scene scene = Scene.of(spec("OnFailure", 1, "suspend: true")).settle();

    assertThat(scene.reasons())
        .containsExactly("Normal PyTorchJobCreated", "Normal PyTorchJobSuspended");
  }

  @Test
  void aMissingImageIsToldOnceWithTheKubeletsMessage() {
    Scene scene = Scene.of(spec("OnFailure", 9, "")).settle();
    List.copyOf(scene.pods().keySet())
        .forEach(pod -> scene.imageMissing(pod, "Back-off pulling image \"i\""));
    scene.settle();
    scene.pass(Duration.ofMinutes(5));
    scene.settle();

    assertThat(scene.told())
        .filteredOn(event -> event.contains("ImagePullBackOff"))
        .singleElement()
        .asString()
        .startsWith("Warning ImagePullBackOff: ")
        .contains("Back-off pulling image \"i\"");
  }

  @Test
  void whatIsRefusedIsNamedByItsKind() {
    ObjectWrite pod = ObjectWrite.pod("mnist-worker-0");
    ObjectWrite service = ObjectWrite.of(ObjectKind.SERVICE, "mnist-worker-0");

    assertThat(refused(pod)).contains("Warning FailedCreatePod");
    assertThat(refused(service)).contains("Warning FailedCreateService");
  }

  private static List<String> refused(ObjectWrite write) {
    Scene scene = Scene.of(spec("OnFailure", 1, ""));
    scene.step();
    scene.pods().remove(write.name());
    scene.services().remove(write.name());
    scene.refuse(
        new WriteFailure(
            write, WriteFailure.Kind.QUOTA, "exceeded quota", scene.now().plusSeconds(60)));
    scene.step();
    return scene.reasons();
  }

  /** The event of a refused pod does not speak of a Service whose refusal is older. */
  @Test
  void ofSeveralRefusalsTheEventIsNamedAfterTheOneThatItTells() {
    Scene scene = Scene.of(spec("OnFailure", 1, ""));
    scene.step();
    scene.pods().remove("mnist-worker-0");
    scene.services().remove("mnist-worker-0");
    scene.refuse(
        new WriteFailure(
            ObjectWrite.pod("mnist-worker-0"),
            WriteFailure.Kind.QUOTA,
            "no room for pods",
            scene.now().plusSeconds(60)),
        new WriteFailure(
            ObjectWrite.of(ObjectKind.SERVICE, "mnist-worker-0"),
            WriteFailure.Kind.QUOTA,
            "no room for services",
            scene.now().plusSeconds(60)));
    scene.step();

    assertThat(scene.told())
        .filteredOn(event -> event.contains("FailedCreate"))
        .singleElement()
        .asString()
        .satisfies(
            event ->
                assertThat(event.contains("FailedCreatePod"))
                    .isEqualTo(event.contains("pod mnist-worker-0: no room for pods")));
  }

  @Test
  void aRefusalThatPassesIsNotTold() {
    Scene scene = Scene.of(spec("OnFailure", 1, ""));
    scene.step();
    scene.pods().remove("mnist-worker-0");
    scene.refuse(
        new WriteFailure(
            ObjectWrite.pod("mnist-worker-0"),
            WriteFailure.Kind.NAME_ENDING,
            "still being deleted",
            scene.now().plusSeconds(1)));
    scene.step();

    assertThat(scene.reasons()).noneMatch(reason -> reason.contains("FailedCreate"));
  }

  @Test
  void aRestartPolicyInTemplatesIsToldOnce() {
    Scene scene = running(withTemplate("restartPolicy: Never"));
    scene.exit("mnist-master-0", 0);
    scene.settle();

    assertThat(scene.told())
        .filteredOn(event -> event.contains("SetPodTemplateRestartPolicy"))
        .singleElement()
        .asString()
        .startsWith("Warning ")
        .contains(
            "spec.pytorchReplicaSpecs[Master].template.spec.restartPolicy",
            "spec.pytorchReplicaSpecs[Worker].template.spec.restartPolicy");
  }

  @Test
  void anotherSchedulerInTemplatesIsToldOnceBesideAGangScheduler() {
    String other = withTemplate("schedulerName: other");
    Scene scene = Scene.of(other, VOLCANO).settle();
    scene.pass(Duration.ofHours(1));
    scene.settle();

    assertThat(scene.told())
        .filteredOn(event -> event.contains("SetPodTemplateSchedulerName"))
        .singleElement()
        .asString()
        .startsWith("Warning ")
        .contains(
            "spec.pytorchReplicaSpecs[Master].template.spec.schedulerName",
            "spec.pytorchReplicaSpecs[Worker].template.spec.schedulerName",
            "other");
    assertThat(Scene.of(other).settle().told())
        .noneMatch(event -> event.contains("SetPodTemplateSchedulerName"));
  }

  /** It is the gang scheduler's own name, and the pods are placed as a gang. */
  @Test
  void theGangSchedulersNameInATemplateIsNothingToTell() {
    Scene scene = Scene.of(withTemplate("schedulerName: volcano"), VOLCANO).settle();

    assertThat(scene.told()).noneMatch(event -> event.contains("SetPodTemplateSchedulerName"));
  }

  @Test
  void aTakenOverJobIsNotToldOfItsTemplatesAgain() {
    Scene scene = Scene.taken("suspended-at-creation");
    scene.edit(withTemplate("restartPolicy: Never") + "runPolicy: {suspend: true}\n");
    scene.settle();

    assertThat(scene.told()).isEmpty();
  }
}
