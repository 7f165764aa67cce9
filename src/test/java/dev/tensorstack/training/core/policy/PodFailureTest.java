package dev.tensorstack.training.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.model.FailureCause;
import dev.tensorstack.training.core.observe.FailureText;
import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.core.observe.PodReader;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.world.FreshJob;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** From a pod as the API server has it to the cause of its failure. */
class PodFailureTest {

  private static final Instant NOW = Instant.parse("2026-01-02T03:04:30Z");
  private static final Duration GRACE = Duration.ofSeconds(30);
  private static final TrainingJob JOB =
      FreshJob.named("default", "mnist", "422e8cc7-163f-4d49-9fb8-d059e490a09b");

  /** A pod of worker-1. */
  private static ObservedPod pod(String deletion, String status) {
    Pod pod =
        Serialization.unmarshal(
            """
            metadata:
              name: mnist-12e8d-worker-1
              uid: u1
              creationTimestamp: 2026-01-02T03:00:00Z
              labels: {replica-type: worker, replica-index: "1"}
              %s
            spec: {nodeName: n1}
            status: {%s}
            """
                .formatted(deletion, status),
            Pod.class);
    return PodReader.read(pod, JOB).orElseThrow();
  }

  private static Optional<PodFailure> failure(String status) {
    return PodFailure.of(pod("", status), NOW, GRACE);
  }

  private static String terminated(int exitCode, String reason, int second) {
    return "{name: c, state: {terminated: {exitCode: %d, reason: %s, finishedAt: '2026-01-02T03:04:%02dZ'}}}"
        .formatted(exitCode, reason, second);
  }

  /** The words of kubelets, which are no words of the application. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "Evicted",
        "NodeLost",
        "NodeShutdown",
        "Shutdown",
        "Terminated",
        "NodeAffinity",
        "UnexpectedAdmissionError",
        "TopologyAffinityError",
        "Preempting",
        "OutOfcpu",
        "OutOfmemory",
        "OutOfpods",
        "OutOfnvidia.com/gpu"
      })
  void aKubeletThatRefusesOrGivesUpAPodIsADisruption(String reason) {
    PodFailure failure = failure("phase: Failed, reason: " + reason + ", message: m").orElseThrow();

    assertThat(failure.cause()).isEqualTo(FailureCause.Disruption);
    assertThat(failure.reason()).isEqualTo(reason);
    assertThat(failure.message()).isEqualTo("m");
    assertThat(failure.exitCode()).isNull();
    assertThat(failure.node()).isEqualTo("n1");
    assertThat(failure.time()).isEqualTo(NOW);
  }

  /** Scripts end their termination message with a line feed. */
  @Test
  void theStatusShowsAMessageWithoutTheSpaceAroundIt() {
    PodFailure failure =
        failure("phase: Failed, reason: Error, message: \"loss is NaN\\n\"").orElseThrow();

    assertThat(failure.toLedger().message()).isEqualTo("loss is NaN");
    assertThat(failure.describe()).endsWith(": loss is NaN");
  }

  @Test
  void aRefusalInWordsOfALaterKubernetesIsADisruptionToo() {
    assertThat(failure("phase: Failed, reason: Unheard, message: 'Pod was rejected: no'"))
        .get()
        .extracting(PodFailure::cause)
        .isEqualTo(FailureCause.Disruption);
  }

  @ParameterizedTest
  @CsvSource({
    "PreemptionByScheduler, True,  Disruption,  PreemptionByScheduler",
    "DeletionByTaintManager, True, Disruption,  DeletionByTaintManager",
    "EvictionByEvictionAPI, True,  Disruption,  EvictionByEvictionAPI",
    "DeletionByPodGC,       True,  Disruption,  DeletionByPodGC",
    "TerminationByKubelet,  True,  Disruption,  TerminationByKubelet",
    "PreemptionByScheduler, False, Application, Error"
  })
  void theDisruptionTargetConditionCountsWhenItIsTrue(
      String reason, String status, FailureCause cause, String reported) {
    PodFailure failure =
        failure(
                "phase: Failed, conditions: [{type: DisruptionTarget, status: '"
                    + status
                    + "', reason: "
                    + reason
                    + ", message: m}], containerStatuses: ["
                    + terminated(143, "Error", 5)
                    + "]")
            .orElseThrow();

    assertThat(failure.cause()).isEqualTo(cause);
    assertThat(failure.reason()).isEqualTo(reported);
    assertThat(failure.exitCode()).isEqualTo(143);
    assertThat(failure.time()).isEqualTo(Instant.parse("2026-01-02T03:04:05Z"));
  }

  /**
   * A drain, a taint, the scheduler: they mark also a pod that has ended, before they remove it. In
   * the second of the end, and before, the mark is the cause.
   */
  @ParameterizedTest
  @CsvSource({
    "4, Disruption, EvictionByEvictionAPI",
    "5, Disruption, EvictionByEvictionAPI",
    "6, Application, Error",
    "59, Application, Error"
  })
  void whatTakesAwayAPodThatHasFailedIsNotTheCause(int second, FailureCause cause, String reason) {
    PodFailure failure =
        failure(
                "phase: Failed, conditions: [{type: DisruptionTarget, status: 'True', reason:"
                    + " EvictionByEvictionAPI, message: m, lastTransitionTime:"
                    + " '2026-01-02T03:04:%02dZ'}], containerStatuses: [".formatted(second)
                    + terminated(42, "Error", 5)
                    + "]")
            .orElseThrow();

    assertThat(failure.cause()).isEqualTo(cause);
    assertThat(failure.reason()).isEqualTo(reason);
    assertThat(failure.exitCode()).isEqualTo(42);
  }

  /** Pod garbage collection fails a pod whose node is gone: its containers say nothing any more. */
  @Test
  void aMarkOnAPodOfWhichNoContainerFailedIsTheCause() {
    PodFailure failure =
        failure(
                "phase: Failed, conditions: [{type: DisruptionTarget, status: 'True', reason:"
                    + " DeletionByPodGC, message: m, lastTransitionTime: '2026-01-02T03:04:20Z'}],"
                    + " containerStatuses: [{name: p, state: {running: {}}}]")
            .orElseThrow();

    assertThat(failure.cause()).isEqualTo(FailureCause.Disruption);
    assertThat(failure.reason()).isEqualTo("DeletionByPodGC");
  }

  /** The pod's own deadline is the user's. */
  @Test
  void aPodThatOutlivedItsOwnDeadlineIsTheApplicationsFailure() {
    PodFailure failure =
        failure("phase: Failed, reason: DeadlineExceeded, message: too long").orElseThrow();

    assertThat(failure.cause()).isEqualTo(FailureCause.Application);
    assertThat(failure.reason()).isEqualTo("DeadlineExceeded");
    assertThat(failure.message()).isEqualTo("too long");
  }

  @Test
  void theContainerThatFailedFirstIsTheCulprit() {
    PodFailure failure =
        failure(
                "phase: Failed, containerStatuses: ["
                    + terminated(0, "Completed", 1)
                    + ","
                    + terminated(143, "Error", 9)
                    + ","
                    + terminated(137, "OOMKilled", 7)
                    + "]")
            .orElseThrow();

    assertThat(failure.cause()).isEqualTo(FailureCause.Application);
    assertThat(failure.exitCode()).isEqualTo(137);
    assertThat(failure.reason()).isEqualTo("OOMKilled");
    assertThat(failure.describe())
        .isEqualTo(
            "pod mnist-12e8d-worker-1 (worker-1) failed with exit code 137 (OOMKilled) on node n1");
  }

  @Test
  void aFailedInitContainerIsTheApplicationsFailure() {
    PodFailure failure =
        failure(
                "phase: Failed, initContainerStatuses: ["
                    + terminated(2, "Error", 3)
                    + "], containerStatuses: [{name: p, state: {waiting: {reason: PodInitializing}}}]")
            .orElseThrow();

    assertThat(failure.cause()).isEqualTo(FailureCause.Application);
    assertThat(failure.exitCode()).isEqualTo(2);
    assertThat(failure.message()).isEqualTo("init container c");
  }

  /** A sidecar is listed among the init containers, and is stopped once the others have ended. */
  @Test
  void aSidecarThatIsStoppedInTheSameSecondIsNotTheCulprit() {
    PodFailure failure =
        failure(
                "phase: Failed, initContainerStatuses: ["
                    + terminated(143, "Error", 7)
                    + "], containerStatuses: ["
                    + terminated(1, "Error", 7)
                    + "]")
            .orElseThrow();

    assertThat(failure.exitCode()).isEqualTo(1);
    assertThat(failure.message()).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "phase: Pending, containerStatuses: [{name: p, state: {waiting: {reason: ImagePullBackOff}}}]",
        "phase: Pending, containerStatuses: [{name: p, state: {waiting: {reason: CreateContainerConfigError}}}]",
        "phase: Running, containerStatuses: [{name: p, state: {running: {}}}]",
        "phase: Succeeded"
      })
  void waitingRunningAndDoneAreNoFailures(String status) {
    assertThat(failure(status)).isEmpty();
  }

  @Test
  void aPodThatIsDeletedByHandIsADisruptionFromThatMomentOn() {
    String deletion = "deletionTimestamp: 2026-01-02T03:04:40Z\n  deletionGracePeriodSeconds: 30";
    PodFailure failure = PodFailure.of(pod(deletion, "phase: Running"), NOW, GRACE).orElseThrow();

    assertThat(failure.cause()).isEqualTo(FailureCause.Disruption);
    assertThat(failure.reason()).isEqualTo("Deleted");
    assertThat(failure.time()).isEqualTo(Instant.parse("2026-01-02T03:04:10Z"));
  }

  /** What a container says after it was told to stop is the deletion's doing. */
  @ParameterizedTest
  @CsvSource({"9, Application", "10, Disruption", "15, Disruption"})
  void aFailureBeforeTheDeletionStaysTheApplications(int finishedAt, FailureCause cause) {
    String deletion = "deletionTimestamp: 2026-01-02T03:04:40Z\n  deletionGracePeriodSeconds: 30";
    String status =
        "phase: Failed, containerStatuses: [" + terminated(1, "Error", finishedAt) + "]";

    assertThat(PodFailure.of(pod(deletion, status), NOW, GRACE))
        .get()
        .extracting(PodFailure::cause)
        .isEqualTo(cause);
  }

  /**
   * The last step of a deletion moves its timestamp to the present: the container ended because of
   * the deletion, not before it, and has not succeeded either.
   */
  @ParameterizedTest
  @CsvSource({"Failed, 143", "Failed, 1", "Succeeded, 0"})
  void aDeletionThatIsForcedInTheEndIsStillADisruption(String phase, int exitCode) {
    String forced = "deletionTimestamp: 2026-01-02T03:04:20Z\n  deletionGracePeriodSeconds: 0";
    ObservedPod pod =
        pod(
            forced,
            "phase: " + phase + ", containerStatuses: [" + terminated(exitCode, "Error", 15) + "]");

    assertThat(pod.endedByItself()).isFalse();
    PodFailure failure = PodFailure.of(pod, NOW, GRACE).orElseThrow();
    assertThat(failure.cause()).isEqualTo(FailureCause.Disruption);
    assertThat(failure.reason()).isEqualTo("Deleted");
    assertThat(failure.time()).isEqualTo(Instant.parse("2026-01-02T03:04:15Z"));
  }

  @Test
  void aLostNodeIsADisruptionWhenItsGraceIsOver() {
    ObservedPod running = pod("", "phase: Running");

    assertThat(PodFailure.of(running.lost(NOW.minus(GRACE).plusSeconds(1)), NOW, GRACE)).isEmpty();
    PodFailure lost = PodFailure.of(running.lost(NOW.minus(GRACE)), NOW, GRACE).orElseThrow();
    assertThat(lost.cause()).isEqualTo(FailureCause.Disruption);
    assertThat(lost.reason()).isEqualTo("NodeLost");
    assertThat(lost.time()).isEqualTo(NOW.minus(GRACE));
  }

  private static ObservedPod torchrun(String reason, String message) {
    return pod(
        "",
        "phase: Failed, containerStatuses: [{name: c, state: {terminated: {exitCode: 1, reason: "
            + reason
            + ", finishedAt: '2026-01-02T03:04:20Z', message: \""
            + message
            + "\"}}}]");
  }

  private static String report(String time) {
    return "ChildFailedError:\\nRoot Cause (first observed failure):\\n  time      : " + time;
  }

  /** torchrun's report has the local time of the container, of which nobody knows the zone. */
  @ParameterizedTest
  @CsvSource({
    "2026-01-02_03:04:12, 2026-01-02T03:04:12Z",
    "2026-01-02_11:04:12, 2026-01-02T03:04:12Z",
    "2026-01-01_22:04:12, 2026-01-02T03:04:12Z",
    "2026-01-02_08:49:12, 2026-01-02T03:04:12Z",
    // clocks that are not quite the same
    "2026-01-02_03:04:22, 2026-01-02T03:04:20Z",
    "nonsense, 2026-01-02T03:04:20Z"
  })
  void aFailureBeginsWhenTheProcessFails(String time, Instant begun) {
    PodFailure failure = PodFailure.of(torchrun("Error", report(time)), NOW, GRACE).orElseThrow();
    assertThat(failure.begun()).isEqualTo(begun);
    assertThat(failure.time()).isEqualTo(Instant.parse("2026-01-02T03:04:20Z"));
    assertThat(failure.origin()).isEqualTo(FailureText.Origin.UNKNOWN);
  }

  @Test
  void theLogIsWorthMoreThanWhatTheStatusTells() {
    ObservedPod pod = torchrun("Error", report("2026-01-02_03:04:12"));
    FailureText log = new FailureText("ValueError: bad", FailureText.Origin.OWN, null);
    PodFailure failure = PodFailure.of(pod, log, NOW, GRACE).orElseThrow();
    assertThat(failure.message()).isEqualTo("ValueError: bad");
    assertThat(failure.origin()).isEqualTo(FailureText.Origin.OWN);

    FailureText none = new FailureText(null, FailureText.Origin.UNKNOWN, null);
    assertThat(PodFailure.of(pod, none, NOW, GRACE).orElseThrow().message())
        .isEqualTo("a process of torchrun failed, its log says why");
  }

  /** Of these the log is to be read. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Error     | ChildFailedError:\\n====      | true",
        "Error     | Connection closed by peer   | true",
        "Error     | ValueError: bad             | false",
        "OOMKilled | Connection closed by peer   | false",
      })
  void aPodThatDoesNotSayWhyIsUnexplained(String reason, String message, boolean unexplained) {
    assertThat(PodFailure.unexplained(torchrun(reason, message)) != null).isEqualTo(unexplained);
  }

  @Test
  void whatDidNotEndByItselfNeedsNoExplanation() {
    assertThat(PodFailure.unexplained(pod("", "phase: Running"))).isNull();
    assertThat(PodFailure.unexplained(pod("", "phase: Failed, reason: Evicted"))).isNull();
    String silent = "phase: Failed, containerStatuses: [" + terminated(1, "Error", 20) + "]";
    assertThat(PodFailure.unexplained(pod("", silent))).isNotNull();
    assertThat(PodFailure.unexplained(pod("", silent.replace("exitCode: 1", "exitCode: 2"))))
        .isNull();
  }
}
