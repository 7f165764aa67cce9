package dev.tensorstack.training.benchmark;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/** How long creations took, and how much longer than those without webhooks. */
final class AdmissionReport {

  /** What the webhooks may add to the median of a creation, in milliseconds. */
  private static final Map<AdmissionBenchmark.Mode, Double> GOALS =
      Map.of(AdmissionBenchmark.Mode.WEBHOOKS, 5.0, AdmissionBenchmark.Mode.DRY_RUN, 25.0);

  private static final int MEDIAN = 50;
  private static final int HIGH = 99;

  private final Map<String, Object> conditions;
  private final Map<Integer, Map<AdmissionBenchmark.Mode, List<Double>>> measured = new TreeMap<>();

  private final Map<AdmissionBenchmark.Mode, List<Submission>> submissions =
      new EnumMap<>(AdmissionBenchmark.Mode.class);

  AdmissionReport(Map<String, Object> conditions) {
    this.conditions = conditions;
  }

  /** Where the result of a program is unless said otherwise; {@link ScaleReport} looks for it. */
  static Path file(OperatorKind kind) {
    return Path.of("target/benchmark/admission-" + kind.title() + ".json");
  }

  /** Adds the milliseconds of some creations. */
  void add(int threads, AdmissionBenchmark.Mode mode, List<Double> millis) {
    measured
        .computeIfAbsent(threads, any -> new EnumMap<>(AdmissionBenchmark.Mode.class))
        .computeIfAbsent(mode, any -> new ArrayList<>())
        .addAll(millis);
  }

  /**
   * The submission of many jobs.
   *
   * @param seconds from the first request to the last answer
   * @param apiServerMillis CPU time of the API server for each job
   * @param operatorMillis CPU time of the operator for each job
   */
  record Submission(double seconds, double apiServerMillis, double operatorMillis) {}

  /** Adds a submission. */
  void addSubmission(AdmissionBenchmark.Mode mode, Submission submission) {
    submissions.computeIfAbsent(mode, any -> new ArrayList<>()).add(submission);
  }

  /** The value that so many of a hundred do not exceed, rounded to tenths. */
  static double percentile(List<Double> values, int percent) {
    return Math.round(exactPercentile(values, percent) * 10) / 10.0;
  }

  private static double exactPercentile(List<Double> values, int percent) {
    List<Double> sorted = values.stream().sorted().toList();
    int index = (int) Math.ceil(percent / 100.0 * sorted.size()) - 1;
    return sorted.get(Math.max(0, index));
  }

  /** What the webhooks add to the median of a creation, as a multiple of it. */
  private double ratio(AdmissionBenchmark.Mode mode) {
    List<Double> bare = millis(1, AdmissionBenchmark.Mode.NO_WEBHOOKS);
    double without = exactPercentile(bare, MEDIAN);
    return (exactPercentile(millis(1, mode), MEDIAN) - without) / without;
  }

  /** Whether the medians of creations one at a time are within the goals. */
  boolean withinGoals() {
    return GOALS.entrySet().stream()
        .allMatch(goal -> added(1, goal.getKey(), MEDIAN) < goal.getValue());
  }

  void print(PrintStream out) {
    out.println();
    conditions.forEach((name, value) -> out.println(name + ": " + value));
    out.println();
    out.println("milliseconds of a creation, and how many the webhooks add");
    out.printf(
        "%-10s %-22s %8s %8s %10s %10s%n", "parallel", "", "p50", "p99", "added p50", "added p99");
    measured.forEach(
        (threads, modes) ->
            modes.forEach(
                (mode, millis) ->
                    out.printf(
                        Locale.ROOT,
                        "%-10d %-22s %8.1f %8.1f %10.1f %10.1f%n",
                        threads,
                        mode.title(),
                        percentile(millis, MEDIAN),
                        percentile(millis, HIGH),
                        added(threads, mode, MEDIAN),
                        added(threads, mode, HIGH))));
    out.println();
    out.println("submission of 200 jobs: seconds, and milliseconds of CPU time for each job");
    out.printf(
        "%-33s %8s %8s %8s %10s %10s%n", "", "median", "min", "max", "API server", "operator");
    submissions.forEach(
        (mode, all) -> {
          List<Double> seconds = all.stream().map(Submission::seconds).toList();
          out.printf(
              Locale.ROOT,
              "%-33s %8.2f %8.2f %8.2f %10.1f %10.1f%n",
              mode.title(),
              exactPercentile(seconds, MEDIAN),
              Collections.min(seconds),
              Collections.max(seconds),
              exactPercentile(all.stream().map(Submission::apiServerMillis).toList(), MEDIAN),
              exactPercentile(all.stream().map(Submission::operatorMillis).toList(), MEDIAN));
        });
    out.println();
    out.printf(
        Locale.ROOT,
        "added p50 / a creation without webhooks, one at a time: %.2f, with dry run %.2f%n",
        ratio(AdmissionBenchmark.Mode.WEBHOOKS),
        ratio(AdmissionBenchmark.Mode.DRY_RUN));
    out.println();
    GOALS.forEach(
        (mode, goal) ->
            out.printf(
                Locale.ROOT,
                "goal, %s, one at a time: less than %.0f ms added to the median: %s%n",
                mode.title(),
                goal,
                added(1, mode, MEDIAN) < goal ? "reached" : "missed"));
    out.flush();
  }

  void write(Path file) throws IOException {
    Map<String, Object> root = new LinkedHashMap<>();
    root.put("conditions", conditions);
    root.put("milliseconds", measured);
    root.put("submissions", submissions);
    Path directory = file.toAbsolutePath().getParent();
    if (directory != null) {
      Files.createDirectories(directory);
    }
    new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT).writeValue(file.toFile(), root);
  }

  private double added(int threads, AdmissionBenchmark.Mode mode, int percent) {
    return percentile(millis(threads, mode), percent)
        - percentile(millis(threads, AdmissionBenchmark.Mode.NO_WEBHOOKS), percent);
  }

  private List<Double> millis(int threads, AdmissionBenchmark.Mode mode) {
    return Objects.requireNonNull(
        Objects.requireNonNull(measured.get(threads), "not measured").get(mode), "not measured");
  }
}
