package dev.tensorstack.training.benchmark;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The goals as one table with a column for each program: what the documentation shows. */
final class GoalTable {

  private GoalTable() {}

  /**
   * The goals that were measured.
   *
   * @param goals of all programs
   * @return a table in Markdown, in bold what misses its bound
   */
  static String of(List<Goal> goals, Measurements results) {
    List<String> programs = goals.stream().map(Goal::client).distinct().toList();
    Map<String, List<Goal>> rows =
        goals.stream()
            .filter(goal -> goal.value(results).isPresent())
            .collect(
                Collectors.groupingBy(
                    goal -> goal.title() + ": " + goal.metric().title(),
                    LinkedHashMap::new,
                    Collectors.toList()));
    StringBuilder text = new StringBuilder("| Goal | Bound | ");
    text.append(String.join(" | ", programs)).append(" | ").append(TrainingOperator.TITLE);
    text.append(" | Trainer 2.3 + JobSet 0.12 |\n|---|---|---|---|");
    text.append("---|".repeat(programs.size())).append('\n');
    rows.forEach(
        (title, row) -> {
          List<String> cells = new ArrayList<>(List.of(title, row.get(0).bound()));
          programs.forEach(program -> cells.add(cell(row, program, results)));
          cells.add(row.get(0).trainingOperator());
          cells.add(row.get(0).trainer());
          text.append("| ").append(String.join(" | ", cells)).append(" |\n");
        });
    return text.toString();
  }

  private static String cell(List<Goal> row, String program, Measurements results) {
    for (Goal goal : row) {
      if (goal.client().equals(program)) {
        double value = goal.value(results).orElseThrow();
        String text = goal.metric().format(value);
        return goal.reachedBy(value) ? text : "**" + text + "**";
      }
    }
    return "";
  }
}
