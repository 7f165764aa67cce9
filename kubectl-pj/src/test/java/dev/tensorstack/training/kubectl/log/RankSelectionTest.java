package dev.tensorstack.training.kubectl.log;

import static dev.tensorstack.training.kubectl.job.Samples.pod;
import static dev.tensorstack.training.kubectl.job.Samples.ranked;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.kubectl.job.RankedPod;
import dev.tensorstack.training.kubectl.job.Samples;
import java.util.List;
import org.junit.jupiter.api.Test;

class RankSelectionTest {

  private static final List<RankedPod> PODS =
      ranked(
          Samples.trainingJob("", "{}"),
          pod("w0", "worker", 0, 0, ""),
          pod("w1", "worker", 1, 0, ""),
          pod("w0-r1", "worker", 0, 1, ""),
          pod("w1-r1", "worker", 1, 1, ""),
          pod("w1-r2", "worker", 1, 1, ""));

  private static List<String> names(List<RankedPod> pods) {
    return pods.stream().map(RankedPod::name).toList();
  }

  @Test
  void theLatestPodOfEachRankIsRead() {
    assertThat(names(new RankSelection(List.of(0), null).of(PODS))).containsExactly("w0-r1");
    assertThat(names(new RankSelection(null, null).of(PODS))).containsExactly("w0-r1", "w1-r2");
  }

  @Test
  void anAttemptHasPodsOfItsOwn() {
    assertThat(names(new RankSelection(null, 0).of(PODS))).containsExactly("w0", "w1");
    assertThat(names(new RankSelection(List.of(1), 1).of(PODS))).containsExactly("w1-r2");
    assertThat(new RankSelection(null, 7).of(PODS)).isEmpty();
  }

  @Test
  void previousIsThePodThatWasReplaced() {
    assertThat(names(new RankSelection(null, null).previousOf(PODS)))
        .containsExactly("w0", "w1-r1");
  }

  @Test
  void onlySeveralRanksNeedPrefixes() {
    assertThat(new RankSelection(List.of(3), null).isForMany()).isFalse();
    assertThat(new RankSelection(List.of(0, 3), null).isForMany()).isTrue();
    assertThat(new RankSelection(null, null).isForMany()).isTrue();
  }
}
