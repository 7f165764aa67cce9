package dev.tensorstack.training.benchmark;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** The result of gangs in queues, as tables for the documentation and as JSON. */
final class QueueReport {

  private final QueueSize size;
  private final Map<String, Object> conditions;
  private final QueueOutcome outcome;

  QueueReport(QueueSize size, Map<String, Object> conditions, QueueOutcome outcome) {
    this.size = size;
    this.conditions = conditions;
    this.outcome = outcome;
  }

  /** All tables. */
  String markdown() {
    StringBuilder text = new StringBuilder();
    conditions.forEach(
        (name, value) -> text.append("- ").append(name).append(": ").append(value).append('\n'));
    text.append("\n| | |\n|---|---|\n");
    row(text, "nodes, accelerators each", size.nodes() + ", " + size.gpusPerNode());
    row(text, "jobs, pods each", size.gangs() + ", " + size.podsPerGang());
    row(text, "room for jobs at the same time", Integer.toString(size.gangsAtOnce()));
    row(text, "jobs that waited at the same moment, most", "" + outcome.mostWaiting());
    row(
        text,
        "accelerators in use in each cohort, most",
        outcome.mostInUse() + " of " + size.quotaOfCohort());
    row(text, "out of turn, half, or above the quota", "" + outcome.violations().size());
    row(text, "operator's requests per job, pod creations apart", format(outcome.requestsPerJob()));
    outcome.seconds().forEach((name, value) -> row(text, name, format(value)));
    row(
        text,
        "operator's memory, idle and peak (MiB)",
        String.format(Locale.ROOT, "%.0f, %.0f", outcome.idleMiB(), outcome.peakMiB()));
    row(text, "the benchmark's watches were cut off", outcome.cuts() + " times");
    text.append("\nRequests per job, whole life:\n\n| | operator | Kueue |\n|---|---|---|\n");
    Map<String, Integer> kinds = new TreeMap<>(outcome.requests());
    outcome.kueueRequests().forEach(kinds::putIfAbsent);
    for (String kind : kinds.keySet()) {
      text.append("| `").append(kind).append("` | ");
      text.append(perJob(outcome.requests(), kind)).append(" | ");
      text.append(perJob(outcome.kueueRequests(), kind)).append(" |\n");
    }
    return text.toString();
  }

  private static void row(StringBuilder text, String name, String value) {
    text.append("| ").append(name).append(" | ").append(value).append(" |\n");
  }

  private String perJob(Map<String, Integer> counts, String kind) {
    Integer count = counts.get(kind);
    return count == null ? "" : format((double) count / outcome.gangs());
  }

  private static String format(double value) {
    return String.format(Locale.ROOT, "%.2f", value);
  }

  /** Writes {@code queue.json} and {@code queue.md} into a directory. */
  void write(Path directory) throws IOException {
    Files.createDirectories(directory);
    Map<String, Object> root = new LinkedHashMap<>();
    root.put("conditions", conditions);
    root.put("nodes", size.nodes());
    root.put("jobs", size.gangs());
    root.put("podsPerJob", size.podsPerGang());
    root.put("outcome", outcome);
    root.put("requestsPerJob", outcome.requestsPerJob());
    new ObjectMapper()
        .enable(SerializationFeature.INDENT_OUTPUT)
        .writeValue(directory.resolve("queue.json").toFile(), root);
    Files.writeString(directory.resolve("queue.md"), markdown());
  }
}
