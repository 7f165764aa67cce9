package dev.tensorstack.training.kubectl.job;

import static dev.tensorstack.training.kubectl.job.Samples.NOW;
import static dev.tensorstack.training.kubectl.job.Samples.tree;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class TrainingTest {

  private static Training read(String json) {
    return Objects.requireNonNull(Training.of(tree(json)));
  }

  @Test
  void aWholeReport() {
    assertThat(
            read(
                "{'progress':45,'estimatedRemainingSeconds':754,'step':'1200',"
                    + "'attempt':2,'metrics':[{'name':'loss','value':'0.31'},{'name':'lr','value':'1e-4'}],"
                    + "'updatedAt':'2026-11-21T16:29:50Z','stepAt':'2026-11-21T16:29:40Z'}"))
        .isEqualTo(
            new Training(
                45,
                Duration.ofSeconds(754),
                List.of(new Training.Metric("loss", "0.31"), new Training.Metric("lr", "1e-4")),
                "1200",
                NOW.minusSeconds(10),
                NOW.minusSeconds(20),
                2));
  }

  @Test
  void theStepIsNoMetricAsWell() {
    assertThat(
            read("{'step':'5','metrics':[{'name':'global_step','value':'5'},"
                    + "{'name':'step','value':'4'},{'name':'loss','value':'5'}]}")
                .metrics())
        .containsExactly(new Training.Metric("step", "4"), new Training.Metric("loss", "5"));
  }

  @Test
  void everyFieldMayBeAbsent() {
    assertThat(read("{}")).isEqualTo(new Training(null, null, List.of(), null, null, null, 0));
    assertThat(Training.of(Tree.of(null))).isNull();
    assertThat(read("{'metrics':[{'name':'loss'},{'value':'1'}]}").metrics()).isEmpty();
  }

  @Test
  void whatRemainsGrowsLessAfterTheReport() {
    assertThat(
            read("{'estimatedRemainingSeconds':60,'updatedAt':'2026-11-21T16:29:50Z'}")
                .remaining(NOW))
        .isEqualTo(Duration.ofSeconds(50));
    assertThat(
            read("{'estimatedRemainingSeconds':60,'updatedAt':'2026-11-21T16:00:00Z'}")
                .remaining(NOW))
        .isEqualTo(Duration.ZERO);
    assertThat(read("{'estimatedRemainingSeconds':60}").remaining(NOW))
        .isEqualTo(Duration.ofSeconds(60));
  }
}
