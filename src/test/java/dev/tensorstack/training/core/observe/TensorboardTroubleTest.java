package dev.tensorstack.training.core.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TensorboardTroubleTest {

  private static final String UNSCHEDULABLE =
      "conditions: [{type: PodScheduled, status: 'False', reason: Unschedulable, message: no room}]";

  private static Pod pod(String members) {
    return Serialization.unmarshal("---\n" + members, Pod.class);
  }

  private static Pod withStatus(String status) {
    return pod("{metadata: {name: a}, status: {" + status + "}}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{metadata: {name: a}}",
        "{metadata: {name: a}, status: {phase: Running}}",
        "{metadata: {name: a}, status: {conditions: [{type: PodScheduled, status: 'True'}]}}",
        "{metadata: {name: a}, status: {conditions: [{type: PodScheduled, status: 'False', reason: SchedulingGated}]}}",
        "{metadata: {name: a}, status: {containerStatuses: [{name: t, state: {waiting: {reason: ContainerCreating}}}]}}",
        "{metadata: {name: a}, status: {containerStatuses: [{name: t, state: {running: {}}}]}}",
      })
  void whatIsWellOrStartsIsNoTrouble(String pod) {
    assertThat(TensorboardTrouble.of(List.of(pod(pod)))).isNull();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          conditions: [{type: PodScheduled, status: 'False', reason: Unschedulable, message: no room}] | Unschedulable | no room
          conditions: [{type: PodScheduled, status: 'False', reason: Unschedulable}] | Unschedulable | no node fits
          containerStatuses: [{name: t, state: {waiting: {reason: ImagePullBackOff, message: back-off}}}] | ImagePullBackOff | its container waits: ImagePullBackOff, back-off
          containerStatuses: [{name: t, state: {waiting: {reason: CrashLoopBackOff}}}] | CrashLoopBackOff | its container waits: CrashLoopBackOff
          """)
  void whatKeepsAPodFromStartingIsToldInTheWordsOfWhoSaysIt(
      String status, String reason, String message) {
    assertThat(TensorboardTrouble.of(List.of(withStatus(status))))
        .isEqualTo(new TensorboardTrouble(reason, message));
  }

  @Test
  void aPodThatIsBeingDeletedSaysNothing() {
    Pod going =
        pod(
            "{metadata: {deletionTimestamp: '2026-01-01T00:00:00Z'}, status: {"
                + UNSCHEDULABLE
                + "}}");

    assertThat(TensorboardTrouble.of(List.of(going))).isNull();
    assertThat(
            Objects.requireNonNull(TensorboardTrouble.of(List.of(going, withStatus(UNSCHEDULABLE))))
                .message())
        .isEqualTo("no room");
  }
}
