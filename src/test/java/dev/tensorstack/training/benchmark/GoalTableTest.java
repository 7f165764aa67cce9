package dev.tensorstack.training.benchmark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The goals in the documentation: one row for each that was measured, in their place. */
class GoalTableTest {

  private static final List<Goal> GOALS =
      Goals.of(List.of(OperatorKind.JAR, OperatorKind.NATIVE), false);

  @Test
  void aGoalHasOneRowWithAColumnForEachProgram() {
    Measurements results = new Measurements();
    results.add("A", "jar", Metric.PER_SAME_WRITES, 0.7);
    results.add("A", "native", Metric.PER_SAME_WRITES, 0.9);
    assertThat(GoalTable.of(GOALS, results).lines().skip(2))
        .containsExactly(
            "| A: " + Metric.PER_SAME_WRITES.title() + " | ≥ 0.80 | **0.70** | 0.90 | – | – |");
  }

  @Test
  void resultsReplaceThoseOfBeforeAndNothingElse() {
    String page = "# Results\n<!-- results: begin -->\n%s<!-- results: end -->\nMore\n";
    assertThat(ResultsPage.with(page.formatted("old\n"), "new\n"))
        .isEqualTo(page.formatted("new\n"));
  }

  @Test
  void aPageWithoutAPlaceForResultsIsRefused() {
    assertThatThrownBy(() -> ResultsPage.with("# Results\n", "new\n"))
        .hasMessageContaining("no place for results");
  }
}
