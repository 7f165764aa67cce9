package dev.tensorstack.training.core.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.world.FreshJob;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PodReaderTest {

  private static final TrainingJob JOB =
      FreshJob.named("default", "mnist", "422e8cc7-163f-4d49-9fb8-d059e490a09b");

  /**
   * As API servers write it: deleted at second 54 with a grace of 7, the container ends at 55, and
   * the kubelet deletes the pod at 56, without grace.
   */
  @ParameterizedTest
  @CsvSource({
    "2026-01-01T00:01:01Z, 7, 01, 2026-01-01T00:00:55Z, false, 2026-01-01T00:00:54Z",
    "2026-01-01T00:00:56Z, 0, 01, 2026-01-01T00:00:55Z, false, 2026-01-01T00:00:55Z",
    "2026-01-01T00:01:01Z, 7, 01, 2026-01-01T00:00:53Z, true,  2026-01-01T00:00:54Z",
    // A sidecar is stopped once the others are done.
    "2026-01-01T00:01:01Z, 7, 58, 2026-01-01T00:00:53Z, true,  2026-01-01T00:00:54Z",
    "2026-01-01T00:01:01Z, 7, 58, 2026-01-01T00:00:55Z, false, 2026-01-01T00:00:54Z",
  })
  void anEndAfterTheRequestToDeleteIsNotThePodsOwn(
      String deletion,
      long grace,
      String sidecar,
      String finished,
      boolean byItself,
      Instant requested) {
    String yaml =
        """
        apiVersion: v1
        kind: Pod
        metadata:
          name: mnist-12e8d-worker-0
          uid: u
          creationTimestamp: 2026-01-01T00:00:00Z
          deletionTimestamp: %s
          deletionGracePeriodSeconds: %d
          labels: {replica-type: worker, replica-index: "0"}
        status:
          phase: Succeeded
          initContainerStatuses:
          - {name: fetch, state: {terminated: {exitCode: 0, finishedAt: "2026-01-01T00:00:%sZ"}}}
          containerStatuses:
          - {name: pytorch, state: {terminated: {exitCode: 0, finishedAt: %s}}}
        """
            .formatted(deletion, grace, sidecar, finished);
    ObservedPod pod = PodReader.read(Serialization.unmarshal(yaml, Pod.class), JOB).orElseThrow();

    assertThat(pod.endedByItself()).isEqualTo(byItself);
    assertThat(pod.deletionRequestedAt()).isEqualTo(requested);
  }

  /** Kubelets write the phase up to seconds after the ends that it follows from. */
  @ParameterizedTest
  @CsvSource({
    "Running, Never,     terminated 0, terminated 0, '',      SUCCEEDED",
    "Running, Never,     terminated 0, terminated 3, '',      FAILED",
    "Running, Never,     terminated 0, running,      '',      RUNNING",
    "Running, OnFailure, terminated 0, terminated 0, '',      SUCCEEDED",
    "Running, OnFailure, terminated 0, terminated 3, '',      RUNNING",
    "Running, Always,    terminated 0, terminated 0, '',      RUNNING",
    "Running, '',        terminated 0, terminated 0, '',      RUNNING",
    "Running, Never,     terminated 0, terminated 0, Evicted, RUNNING",
    "Pending, Never,     terminated 0, terminated 0, '',      PENDING",
    "Failed,  Never,     terminated 0, terminated 0, '',      FAILED",
  })
  void thePhaseFollowsFromTheEndsOfAllContainers(
      String phase, String policy, String first, String second, String reason, String read) {
    String yaml =
        """
        apiVersion: v1
        kind: Pod
        metadata:
          name: mnist-12e8d-worker-0
          uid: u
          creationTimestamp: 2026-01-01T00:00:00Z
          labels: {replica-type: worker, replica-index: "0"}
        spec: {restartPolicy: %s}
        status:
          phase: %s
          reason: %s
          initContainerStatuses:
          - {name: sidecar, state: {running: {startedAt: 2026-01-01T00:00:01Z}}}
          containerStatuses:
          - {name: pytorch, state: {%s}}
          - {name: other, state: {%s}}
        """
            .formatted(
                policy.isEmpty() ? "null" : policy,
                phase,
                reason.isEmpty() ? "null" : reason,
                state(first),
                state(second));
    ObservedPod pod = PodReader.read(Serialization.unmarshal(yaml, Pod.class), JOB).orElseThrow();
    assertThat(pod.phase().name()).isEqualTo(read);
  }

  /** Its own deadline has passed, and the training ends well when it is told to stop. */
  @ParameterizedTest
  @ValueSource(strings = {"OnFailure", "Never"})
  void aPodThatItsKubeletCallsFailedIsNotDoneWhateverItsContainersEndWith(String policy) {
    String yaml =
        """
        apiVersion: v1
        kind: Pod
        metadata:
          name: mnist-12e8d-worker-0
          uid: u
          creationTimestamp: 2026-01-01T00:00:00Z
          labels: {replica-type: worker, replica-index: "0"}
        spec: {restartPolicy: %s}
        status:
          phase: Running
          conditions:
          - {type: Ready, status: "False", reason: PodFailed}
          containerStatuses:
          - {name: pytorch, state: {%s}}
        """
            .formatted(policy, state("terminated 0"));
    ObservedPod pod = PodReader.read(Serialization.unmarshal(yaml, Pod.class), JOB).orElseThrow();
    assertThat(pod.phase()).isEqualTo(ObservedPod.Phase.RUNNING);
  }

  /** With OnFailure; as a kubelet shows it while it tears down a pod that is done. */
  @ParameterizedTest
  @CsvSource({
    "terminated 0, '',           false",
    "running,      '',           true",
    "running,      PodCompleted, false",
    "running,      PodFailed,    false",
  })
  void aSidecarThatIsStoppedAtTheEndOfThePodIsNotAboutToStartAgain(
      String main, String notReady, boolean again) {
    String yaml =
        """
        apiVersion: v1
        kind: Pod
        metadata:
          name: mnist-12e8d-worker-0
          uid: u
          creationTimestamp: 2026-01-01T00:00:00Z
          labels: {replica-type: worker, replica-index: "0"}
        spec: {restartPolicy: OnFailure}
        status:
          phase: Running
          conditions:
          - {type: Ready, status: "False", reason: %s}
          initContainerStatuses:
          - {name: proxy, state: {%s}}
          containerStatuses:
          - {name: pytorch, state: {%s}}
        """
            .formatted(
                notReady.isEmpty() ? "null" : notReady, state("terminated 143"), state(main));
    ObservedPod pod = PodReader.read(Serialization.unmarshal(yaml, Pod.class), JOB).orElseThrow();
    assertThat(pod.containers().get(0).startsAgain()).isEqualTo(again);
  }

  /** As a kubelet writes it of a container that it has started again twice. */
  @Test
  void restartsByTheKubeletAreReadWithTheLastEnd() {
    ObservedPod pod =
        PodReader.read(
                Serialization.unmarshal(
                    """
                    apiVersion: v1
                    kind: Pod
                    metadata:
                      name: mnist-12e8d-worker-0
                      uid: u
                      creationTimestamp: 2026-01-01T00:00:00Z
                      labels: {replica-type: worker, replica-index: "0"}
                    spec: {restartPolicy: OnFailure}
                    status:
                      phase: Running
                      initContainerStatuses:
                      - {name: fetch, restartCount: 1, state: {terminated: {exitCode: 0}}}
                      containerStatuses:
                      - name: pytorch
                        restartCount: 2
                        state: {waiting: {reason: CrashLoopBackOff}}
                        lastState:
                          terminated: {exitCode: 7, reason: Error, finishedAt: "2026-01-01T00:00:05Z"}
                    """,
                    Pod.class),
                JOB)
            .orElseThrow();

    assertThat(pod.restarts()).isEqualTo(3);
    ObservedContainer training = pod.containers().get(1);
    assertThat(training.failed()).as("it waits, and has not failed now").isFalse();
    assertThat(training.startsAgain()).isTrue();
    assertThat(training.lastEnd())
        .isEqualTo(
            new ObservedContainer(
                "pytorch",
                false,
                ObservedContainer.State.TERMINATED,
                "Error",
                null,
                7,
                null,
                Instant.parse("2026-01-01T00:00:05Z")));
  }

  /** Kubelets show an end for a moment before they show that they start the container again. */
  @ParameterizedTest
  @CsvSource({
    "OnFailure, Running,   3, '',      '',                   '', true",
    "OnFailure, Running,   0, '',      '',                   '', false",
    "Always,    Running,   0, '',      '',                   '', true",
    "Always,    Running,   3, '',      '',                   '', true",
    "Never,     Running,   3, '',      '',                   '', false",
    "OnFailure, Failed,    3, '',      '',                   '', false",
    "Always,    Succeeded, 0, '',      '',                   '', false",
    "OnFailure, Running,   3, Evicted, '',                   '', false",
    "OnFailure, Running,   3, '',      TerminationByKubelet, '', false",
    "OnFailure, Running,   3, '',      '',                   2026-01-01T00:01:00Z, false",
  })
  void aContainerThatItsKubeletStartsAgainHasNotEndedForGood(
      String policy,
      String phase,
      int exitCode,
      String reason,
      String disruption,
      String deletion,
      boolean startsAgain) {
    Pod pod =
        Serialization.unmarshal(
            """
            apiVersion: v1
            kind: Pod
            metadata:
              name: mnist-12e8d-worker-0
              uid: u
              creationTimestamp: 2026-01-01T00:00:00Z
              labels: {replica-type: worker, replica-index: "0"}
            spec: {restartPolicy: %s}
            status:
              phase: %s
              conditions:
              - {type: DisruptionTarget, status: "%s", reason: "%s"}
              initContainerStatuses:
              - {name: fetch, restartCount: 0, state: {terminated: {exitCode: 0}}}
              containerStatuses:
              - name: pytorch
                restartCount: 2
                state: {terminated: {exitCode: %d, finishedAt: "2026-01-01T00:00:05Z"}}
            """
                .formatted(
                    policy, phase, disruption.isEmpty() ? "False" : "True", disruption, exitCode),
            Pod.class);
    pod.getStatus().setReason(reason.isEmpty() ? null : reason);
    pod.getMetadata().setDeletionTimestamp(deletion.isEmpty() ? null : deletion);
    ObservedPod read = PodReader.read(pod, JOB).orElseThrow();
    assertThat(read.containers().get(0).startsAgain()).as("what is done is done").isFalse();
    ObservedContainer training = read.containers().get(1);
    assertThat(training.startsAgain()).isEqualTo(startsAgain);
    assertThat(read.restarts()).isEqualTo(2);
    assertThat(startsAgain ? training.lastEnd() : training)
        .extracting("exitCode", "finishedAt")
        .containsExactly(exitCode, Instant.parse("2026-01-01T00:00:05Z"));
  }

  private static String state(String words) {
    return words.equals("running")
        ? "running: {startedAt: 2026-01-01T00:00:01Z}"
        : "terminated: {exitCode: %s, finishedAt: 2026-01-01T00:00:05Z}"
            .formatted(words.split(" ")[1]);
  }

  @Test
  void aPodThatKueueEndsBecauseItsNodeWasExchangedIsDisrupted() {
    Pod pod =
        Serialization.unmarshal(
            """
            apiVersion: v1
            kind: Pod
            metadata:
              name: mnist-12e8d-worker-0
              uid: u
              creationTimestamp: 2026-01-01T00:00:00Z
              labels: {replica-type: worker, replica-index: "0"}
            spec: {restartPolicy: Never}
            status:
              phase: Failed
              conditions:
              - {type: DisruptionTarget, status: "False"}
              - {type: TerminatedByKueue, status: "True", reason: UnschedulableOnAssignedNode}
            """,
            Pod.class);
    assertThat(PodReader.read(pod, JOB).orElseThrow().disruption())
        .contains("UnschedulableOnAssignedNode");
  }
}
