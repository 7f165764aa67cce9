package dev.tensorstack.training.benchmark;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The results for people, for the documentation, as pictures, and as JSON. */
final class ScaleReport {

  private static final String PEERS =
      "Figures of others were measured on the same control plane, two processors, with their client"
          + " limits raised as far as they go, unless it says as shipped; medians.";

  private final Map<String, Object> conditions;
  private final Measurements results;
  private final List<Goal> goals;

  ScaleReport(Map<String, Object> conditions, Measurements results, List<Goal> goals) {
    this.conditions = conditions;
    this.results = results;
    this.goals = goals;
  }

  /** Whether every goal was measured and reached. */
  boolean allReached() {
    return goals.stream().allMatch(goal -> goal.value(results).map(goal::reachedBy).orElse(false));
  }

  /** Takes over what AdmissionBenchmark has written about a program, if it has. */
  static void addAdmission(OperatorKind kind, Measurements results) throws IOException {
    Path file = AdmissionReport.file(kind);
    if (!Files.exists(file)) {
      return;
    }
    JsonNode alone = new ObjectMapper().readTree(file.toFile()).path("milliseconds").path("1");
    List<Double> without = numbers(alone.path("NO_WEBHOOKS"));
    List<Double> with = numbers(alone.path("WEBHOOKS"));
    if (!without.isEmpty() && !with.isEmpty()) {
      results.add(
          "admission",
          kind.title(),
          Metric.ADMISSION,
          AdmissionReport.percentile(with, 50) - AdmissionReport.percentile(without, 50));
    }
  }

  private static List<Double> numbers(JsonNode array) {
    List<Double> numbers = new ArrayList<>();
    array.forEach(one -> numbers.add(one.asDouble()));
    return numbers;
  }

  /** Prints all tables. */
  void print(PrintStream out) {
    out.println();
    out.print(markdown());
    out.flush();
  }

  /** Writes JSON, Markdown and pictures into a directory. */
  void write(Path directory) throws IOException {
    Files.createDirectories(directory);
    Map<String, Object> root = new LinkedHashMap<>();
    root.put("conditions", conditions);
    root.put("failures", results.failures());
    root.put(
        "goals",
        goals.stream()
            .map(
                goal -> {
                  Map<String, Object> json = new LinkedHashMap<>();
                  json.put("title", goal.title());
                  json.put("client", goal.client());
                  json.put("metric", goal.metric().title());
                  json.put("bound", goal.bound());
                  goal.value(results).ifPresent(value -> json.put("value", value));
                  json.put("result", result(goal));
                  return json;
                })
            .toList());
    root.put("values", results.values());
    root.put("requestsPerJob", results.requests());
    new ObjectMapper()
        .enable(SerializationFeature.INDENT_OUTPUT)
        .writeValue(directory.resolve("scale.json").toFile(), root);
    Files.writeString(directory.resolve("scale.md"), markdown());
    Map<String, List<Measurements.Curve>> pictures =
        results.curves().stream()
            .collect(
                Collectors.groupingBy(
                    curve -> curve.scenario() + ": " + curve.title(),
                    TreeMap::new,
                    Collectors.toList()));
    for (Map.Entry<String, List<Measurements.Curve>> picture : pictures.entrySet()) {
      String file =
          picture.getKey().toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-") + ".svg";
      Files.writeString(
          directory.resolve("scale-" + file.replace("-.svg", ".svg")),
          LinePlot.svg(picture.getKey(), picture.getValue()));
    }
  }

  /** Puts the conditions and the goals that were measured into a page of the documentation. */
  void writeInto(Path page) throws IOException {
    ResultsPage.update(page, said() + GoalTable.of(goals, results));
  }

  private String said() {
    return conditions.entrySet().stream()
            .map(one -> one.getKey() + ": " + one.getValue())
            .collect(Collectors.joining("; "))
        + ".\n\n";
  }

  private String result(Goal goal) {
    return goal.value(results)
        .map(value -> goal.reachedBy(value) ? "reached" : "missed")
        .orElse("not measured");
  }

  private String markdown() {
    StringBuilder text = new StringBuilder(said());
    results
        .failures()
        .forEach(
            (scenario, problem) ->
                text.append("**Scenario ")
                    .append(scenario)
                    .append(" did not come to its end:** ")
                    .append(problem)
                    .append("\n\n"));
    goals(text);
    results.values().keySet().forEach(scenario -> scenario(text, scenario));
    return text.toString();
  }

  private void goals(StringBuilder text) {
    text.append(
        "| Goal | Program | Bound | Measured | | "
            + TrainingOperator.TITLE
            + " | Trainer 2.3 + JobSet 0.12 |\n");
    text.append("|---|---|---|---|---|---|---|\n");
    for (Goal goal : goals) {
      text.append(
          "| %s: %s | %s | %s | %s | %s | %s | %s |%n"
              .formatted(
                  goal.title(),
                  goal.metric().title(),
                  goal.client(),
                  goal.bound(),
                  goal.value(results).map(goal.metric()::format).orElse(""),
                  result(goal),
                  trainingOperator(goal),
                  goal.trainer()));
    }
    text.append('\n').append(PEERS).append("\n\n");
  }

  /** What it reached in this run, where it took part; else what it reached earlier. */
  private String trainingOperator(Goal goal) {
    return results
        .summary(goal.scenario(), TrainingOperator.TITLE, goal.metric())
        .map(found -> goal.metric().format(found.median()) + " (this run)")
        .orElse(goal.trainingOperator());
  }

  private void scenario(StringBuilder text, String scenario) {
    Map<String, Map<Metric, List<Double>>> clients =
        results.values().getOrDefault(scenario, Map.of());
    List<String> names =
        clients.keySet().stream()
            .sorted(
                java.util.Comparator.comparing(
                        (String name) ->
                            !name.startsWith(BareLives.RAW) && !name.equals(SameWritesClient.TITLE))
                    .thenComparing(name -> name))
            .toList();
    text.append("Scenario ").append(scenario).append(", median (least – greatest):\n\n");
    text.append("| | ").append(String.join(" | ", names)).append(" |\n|---|");
    text.append("---|".repeat(names.size())).append('\n');
    TreeSet<Metric> metrics = new TreeSet<>();
    clients.values().forEach(one -> metrics.addAll(one.keySet()));
    for (Metric metric : metrics) {
      text.append("| ").append(metric.title());
      for (String name : names) {
        text.append(" | ").append(cell(results.summary(scenario, name, metric), metric));
      }
      text.append(" |\n");
    }
    text.append('\n');
    requests(text, scenario);
  }

  private static String cell(Optional<Summary> summary, Metric metric) {
    if (summary.isEmpty()) {
      return "";
    }
    Summary value = summary.get();
    return value.min() == value.max()
        ? metric.format(value.median())
        : "%s (%s – %s)"
            .formatted(
                metric.format(value.median()),
                metric.format(value.min()),
                metric.format(value.max()));
  }

  private void requests(StringBuilder text, String scenario) {
    Map<String, Map<String, Double>> clients = results.requests().getOrDefault(scenario, Map.of());
    if (clients.isEmpty()) {
      return;
    }
    TreeSet<String> kinds = new TreeSet<>();
    clients.values().forEach(one -> kinds.addAll(one.keySet()));
    text.append(
        scenario.equals("G")
            ? "Requests per minute of the steady state:\n\n"
            : "Requests per job, whole life, of the last round:\n\n");
    text.append("| | ").append(String.join(" | ", clients.keySet())).append(" |\n|---|");
    text.append("---|".repeat(clients.size())).append('\n');
    for (String kind : kinds) {
      text.append("| `").append(kind).append('`');
      for (Map<String, Double> one : clients.values()) {
        text.append(String.format(Locale.ROOT, " | %.2f", one.getOrDefault(kind, 0.0)));
      }
      text.append(" |\n");
    }
    text.append('\n');
  }
}
