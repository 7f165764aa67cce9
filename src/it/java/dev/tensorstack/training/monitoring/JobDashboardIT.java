package dev.tensorstack.training.monitoring;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tensorstack.training.chart.ChartFiles;
import dev.tensorstack.training.monitoring.Dashboard.Panel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/**
 * The dashboard about one job on made-up series: the exporters that it needs are not there where
 * tests run. It is an integration test because it needs promtool.
 */
class JobDashboardIT {

  private static final Path TESTS = Path.of("src/it/resources/monitoring/job-dashboard.test.yml");

  @Test
  void aPanelShowsThePodsOfItsJobAndNoOthers() throws IOException {
    JsonNode tests = ChartFiles.yaml(TESTS);
    for (JsonNode check : tests.at("/tests/0/promql_expr_test")) {
      ((ObjectNode) check).put("expr", query(check.path("expr").asText()));
    }
    Path file = Files.createTempFile("job-dashboard-", ".yml");
    try {
      Files.writeString(file, tests.toString()); // JSON is YAML.
      Promtool.run("test", "rules", file.toString());
    } finally {
      Files.delete(file);
    }
  }

  private static String query(String title) {
    return Dashboard.all().stream()
        .filter(dashboard -> dashboard.name().equals("job"))
        .flatMap(dashboard -> dashboard.panels().stream())
        .filter(panel -> panel.title().equals(title))
        .map(JobDashboardIT::filled)
        .findFirst()
        .orElseThrow(() -> new AssertionError("no panel " + title));
  }

  private static String filled(Panel panel) {
    return panel
        .targets()
        .get(0)
        .expression()
        .replace("$__rate_interval", "5m")
        .replace("$cluster", ".*")
        .replace("$namespace", "team")
        .replace("$job", "bert");
  }
}
