package dev.tensorstack.training.benchmark;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;

/** The result, for people and as JSON. */
final class Report {

  private static final double MILLIS = 1_000;

  private final int pods;
  private final Map<String, Object> conditions;
  private final List<Round> raw;
  private final List<Round> operator;
  private final long operatorMemoryMiB;

  Report(
      int pods,
      Map<String, Object> conditions,
      List<Round> raw,
      List<Round> operator,
      long operatorMemoryMiB) {
    this.pods = pods;
    this.conditions = conditions;
    this.raw = raw;
    this.operator = operator;
    this.operatorMemoryMiB = operatorMemoryMiB;
  }

  /** How many times as long as the bare client the operator takes: the ratio of the medians. */
  double ratio() {
    return allPods(operator).median() / allPods(raw).median();
  }

  void print(PrintStream out) {
    out.println();
    conditions.forEach((name, value) -> out.println(name + ": " + value));
    out.println();
    out.printf("%-36s %10s %10s %10s%n", "", "median", "min", "max");
    rows().forEach((name, summary) -> out.printf("%-36s %s%n", name, summary.columns()));
    out.println();
    out.printf(Locale.ROOT, "ratio of the medians, operator / raw: %.2f%n", ratio());
    out.printf("operator's memory (resident) at the end: %d MiB%n", operatorMemoryMiB);
    out.println();
    out.println("the operator's requests for each job (median over the rounds):");
    requests().forEach((kind, count) -> out.printf(Locale.ROOT, "  %7.1f  %s%n", count, kind));
    out.printf(
        "failed requests in all rounds: raw %d, operator %d%n", failed(raw), failed(operator));
    out.flush();
  }

  void write(Path file) throws IOException {
    Map<String, Object> root = new LinkedHashMap<>();
    root.put("conditions", conditions);
    root.put("ratioOfMedians", ratio());
    root.put("summary", rows());
    root.put("operatorMemoryMiB", operatorMemoryMiB);
    root.put("operatorRequestsPerJob", requests());
    root.put("raw", raw.stream().map(Report::json).toList());
    root.put("operator", operator.stream().map(Report::json).toList());
    Path directory = file.toAbsolutePath().getParent();
    if (directory != null) {
      Files.createDirectories(directory);
    }
    new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT).writeValue(file.toFile(), root);
  }

  private Map<String, Summary> rows() {
    Map<String, Summary> rows = new LinkedHashMap<>();
    rows.put("raw: all pods (s)", allPods(raw));
    rows.put("operator: all pods (s)", allPods(operator));
    rows.put("raw: pods/s", Summary.of(raw, this::podsPerSecond));
    rows.put("operator: pods/s", Summary.of(operator, this::podsPerSecond));
    rows.put("raw: first pod (s)", Summary.of(raw, round -> seconds(round.firstPod())));
    rows.put("operator: first pod (s)", Summary.of(operator, round -> seconds(round.firstPod())));
    rows.put("raw: longest pause (s)", Summary.of(raw, round -> seconds(round.longestPause())));
    rows.put(
        "operator: longest pause (s)",
        Summary.of(operator, round -> seconds(round.longestPause())));
    rows.put("operator / raw of the same round", Summary.of(ratios(), Double::doubleValue));
    rows.put("raw: client CPU (s)", Summary.of(raw, round -> seconds(round.clientCpu())));
    rows.put("operator: CPU (s)", Summary.of(operator, round -> seconds(round.clientCpu())));
    rows.put("operator: reconciliations", Summary.of(operator, Round::reconciliations));
    return rows;
  }

  private List<Double> ratios() {
    List<Double> ratios = new ArrayList<>();
    for (int i = 0; i < raw.size(); i++) {
      ratios.add(seconds(operator.get(i).allPods()) / seconds(raw.get(i).allPods()));
    }
    return ratios;
  }

  private Map<String, Double> requests() {
    Map<String, Double> medians = new LinkedHashMap<>();
    TreeSet<String> kinds = new TreeSet<>();
    operator.forEach(round -> kinds.addAll(round.requests().keySet()));
    for (String kind : kinds) {
      medians.put(
          kind, Summary.of(operator, round -> round.requests().getOrDefault(kind, 0)).median());
    }
    return medians;
  }

  private static Map<String, Object> json(Round round) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("allPodsSeconds", seconds(round.allPods()));
    json.put("firstPodSeconds", seconds(round.firstPod()));
    json.put("longestPauseSeconds", seconds(round.longestPause()));
    json.put("clientCpuSeconds", seconds(round.clientCpu()));
    json.put("reconciliations", round.reconciliations());
    json.put("requests", round.requests());
    json.put("failedRequests", round.failed());
    json.put("loadAverageBefore", round.loadAverage());
    return json;
  }

  private static Summary allPods(List<Round> rounds) {
    return Summary.of(rounds, round -> seconds(round.allPods()));
  }

  private double podsPerSecond(Round round) {
    return pods / seconds(round.allPods());
  }

  private static int failed(List<Round> rounds) {
    return rounds.stream().mapToInt(Round::failed).sum();
  }

  private static double seconds(Duration duration) {
    return duration.toNanos() / MILLIS / MILLIS / MILLIS;
  }
}
