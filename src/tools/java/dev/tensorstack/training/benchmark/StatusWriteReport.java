package dev.tensorstack.training.benchmark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** What a status write costs, by job and CRD: medians of the rounds, as a table in Markdown. */
final class StatusWriteReport {

  private final String conditions;
  private final Map<StatusSample, Map<String, List<StatusWriteCost>>> costs = new LinkedHashMap<>();

  /** A report without figures. */
  StatusWriteReport(String conditions) {
    this.conditions = conditions;
  }

  /** Adds a round. */
  void add(StatusSample sample, String crd, StatusWriteCost cost) {
    costs
        .computeIfAbsent(sample, any -> new LinkedHashMap<>())
        .computeIfAbsent(crd, any -> new ArrayList<>())
        .add(cost);
  }

  /** The table, and how it was measured. */
  String markdown() {
    StringBuilder text = new StringBuilder(conditions);
    text.append(
        """


        | Job | Status, bytes | CRD | KiB allocated | allocations | CPU (ms) | answer (ms) |
        |---|---|---|---|---|---|---|
        """);
    costs.forEach(
        (sample, byCrd) -> {
          Map<String, StatusWriteCost> medians = new LinkedHashMap<>();
          byCrd.forEach((crd, rounds) -> medians.put(crd, median(rounds)));
          medians.forEach((crd, cost) -> text.append(row(sample, crd, cost)));
          difference(medians, CrdTwin.INSTALLED, CrdTwin.WITHOUT_RULES)
              .forEach(cost -> text.append(row(sample, "**the CRD's rules**", cost)));
          difference(medians, CrdTwin.WITHOUT_RULES, CrdTwin.WITHOUT_SCHEMA)
              .forEach(cost -> text.append(row(sample, "**the rest of the schema**", cost)));
        });
    return text.toString();
  }

  /** Writes the table into a file. */
  void write(Path file) throws IOException {
    Path directory = file.toAbsolutePath().getParent();
    if (directory != null) {
      Files.createDirectories(directory);
    }
    Files.writeString(file, markdown());
  }

  private static List<StatusWriteCost> difference(
      Map<String, StatusWriteCost> medians, CrdTwin more, CrdTwin less) {
    StatusWriteCost with = medians.get(more.title());
    StatusWriteCost without = medians.get(less.title());
    return with == null || without == null
        ? List.of()
        : List.of(
            new StatusWriteCost(
                with.usage().since(without.usage()), with.seconds() - without.seconds()));
  }

  private static StatusWriteCost median(List<StatusWriteCost> rounds) {
    return new StatusWriteCost(
        new ApiServerUsage(
            median(rounds, cost -> cost.usage().bytes()),
            median(rounds, cost -> cost.usage().allocations()),
            median(rounds, cost -> cost.usage().cpuSeconds())),
        median(rounds, StatusWriteCost::seconds));
  }

  private static double median(
      List<StatusWriteCost> rounds, ToDoubleFunction<StatusWriteCost> number) {
    return Summary.of(rounds, number).median();
  }

  private static String row(StatusSample sample, String crd, StatusWriteCost cost) {
    return String.format(
        Locale.ROOT,
        "| %s | %d | %s | %.0f | %.0f | %.2f | %.2f |%n",
        sample.title(),
        sample.statusBytes(),
        crd,
        cost.kib(),
        cost.allocations(),
        cost.cpuMillis(),
        cost.millis());
  }
}
