package dev.tensorstack.training.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.model.RunModeKind;
import dev.tensorstack.training.core.observe.ObservedPod;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KeptPodsTest {

  static ObservedPod pod(String name, int earlierPods, ObservedPod.Phase phase, Instant created) {
    return new ObservedPod(
        name,
        "uid-" + name,
        new ReplicaId("worker", 0),
        earlierPods,
        0,
        RunModeKind.TRAIN,
        phase,
        false,
        null,
        "n1",
        null,
        created,
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
        Map.of());
  }

  /** Pod k was created k seconds after the first. */
  private static List<ObservedPod> pods(int count) {
    List<ObservedPod> pods = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      pods.add(pod("p" + i, i, ObservedPod.Phase.FAILED, Instant.EPOCH.plusSeconds(i)));
    }
    Collections.rotate(pods, count / 3);
    return pods;
  }

  @ParameterizedTest
  @CsvSource({"0, 0", "1, 0", "10, 0", "11, 1", "25, 15"})
  void theTenLatestAreKept(int replaced, int superfluous) {
    assertThat(KeptPods.superfluous(pods(replaced), null))
        .hasSize(superfluous)
        .allMatch(pod -> pod.earlierPods() < superfluous);
  }

  /** Its log is the one that is needed most, and it may be the oldest. */
  @Test
  void thePodOfTheLastFailureIsAlwaysKept() {
    assertThat(KeptPods.superfluous(pods(12), "p0"))
        .extracting(ObservedPod::name)
        .containsExactlyInAnyOrder("p1", "p2");
    assertThat(KeptPods.superfluous(pods(12), "p11"))
        .extracting(ObservedPod::name)
        .containsExactlyInAnyOrder("p0", "p1");
    assertThat(KeptPods.superfluous(pods(12), "of-another-job")).hasSize(2);
  }

  @Test
  void ofOneMomentTheLaterPodOfAReplicaIsKept() {
    List<ObservedPod> pods = new ArrayList<>();
    for (int i = 0; i <= KeptPods.MOST; i++) {
      pods.add(pod("p" + i, i, ObservedPod.Phase.FAILED, Instant.EPOCH));
    }

    assertThat(KeptPods.superfluous(pods, null))
        .extracting(ObservedPod::name)
        .containsExactly("p0");
  }

  @Test
  void whatIsBeingDeletedIsNotDeletedAgain() {
    List<ObservedPod> pods = new ArrayList<>(pods(11));
    pods.replaceAll(pod -> pod.earlierPods() == 0 ? pod.beingDeleted() : pod);

    assertThat(KeptPods.superfluous(pods, null)).isEmpty();
  }
}
