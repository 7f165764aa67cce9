package dev.tensorstack.training.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tensorstack.training.chart.ChartFiles;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The alerts on made-up series. It is an integration test because it needs promtool. */
class AlertRulesIT {

  private static final Path RULES = ChartFiles.CHART.resolve("files/alerts.yml");
  private static final Path TESTS = Path.of("src/it/resources/monitoring/alerts.test.yml");

  @Test
  void promtoolFindsNothingWrongWithTheRules() {
    Promtool.run("check", "rules", "--lint=all", "--lint-fatal", RULES.toString());
  }

  @Test
  void alertsFireWhenTheyShouldAndOnlyThen() {
    Promtool.run("test", "rules", TESTS.toString());
  }

  @Test
  void eachAlertIsTestedBothWays() {
    Set<String> alerts = new TreeSet<>();
    ChartFiles.yaml(RULES)
        .path("groups")
        .forEach(
            group -> group.path("rules").forEach(rule -> alerts.add(rule.path("alert").asText())));
    Set<String> fire = new TreeSet<>();
    Set<String> stayQuiet = new TreeSet<>();
    for (JsonNode test : ChartFiles.yaml(TESTS).path("tests")) {
      if (test.path("name").asText().contains("nothing has happened yet")) {
        continue; // quiet because there is no data
      }
      for (JsonNode check : test.path("alert_rule_test")) {
        (check.path("exp_alerts").isEmpty() ? stayQuiet : fire)
            .add(check.path("alertname").asText());
      }
    }

    assertThat(fire).isEqualTo(alerts);
    assertThat(stayQuiet).isEqualTo(alerts);
  }
}
