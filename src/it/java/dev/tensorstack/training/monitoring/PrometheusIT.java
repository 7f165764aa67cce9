package dev.tensorstack.training.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tensorstack.training.core.naming.Metric;
import dev.tensorstack.training.monitoring.Dashboard.Panel;
import dev.tensorstack.training.monitoring.Dashboard.Target;
import dev.tensorstack.training.monitoring.Dashboard.Variable;
import dev.tensorstack.training.reference.FrameworkMetric;
import dev.tensorstack.training.reference.MetricNotes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Every expression of dashboards, alerts and the reference, asked of a real Prometheus that watches
 * two operators with jobs of all sorts. With {@code -Dpictures} jobs come for some minutes more,
 * and the pictures of the dashboards in the documentation are drawn anew.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class PrometheusIT {

  private static final Path PICTURES = Path.of("docs/operations/images");
  private static final boolean DRAWS = System.getProperty("pictures") != null;
  private static final Duration DRAWN = Duration.ofMinutes(4);
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration STEP = Duration.ofSeconds(1);
  private static final String FEW_SCRAPES = "10s";

  /** Not there before the first one, and never in the native image. */
  private static final String PAUSES = "jvm_gc_pause_seconds";

  /** Questions of the reference that have nothing to show while all is well, with the reason. */
  private static final Map<String, String> EMPTY_WHILE_ALL_IS_WELL =
      Map.of(
          MetricNotes.of(Metric.UNREADABLE).query(),
          "asks for namespaces with jobs that cannot be read",
          MetricNotes.of(Metric.LEADER).query(),
          "asks whether there is no leader");

  /** What alerts select that is not there while all is well, with the reason. */
  private static final Map<String, String> NOT_SELECTED_WHILE_ALL_IS_WELL =
      Map.of(
          "operator_sdk_reconciliations_failed_total",
          "from the first failure on",
          "http_server_requests_seconds_count",
          "answers with 5xx only",
          "apiserver_admission_webhook_rejection_count",
          "calls that failed only; they are made to fail in the last test");

  private static final Pattern SELECTOR =
      Pattern.compile(
          "\\b((?:pytorchtrainingjob|operator_sdk|http_server|apiserver)_[a-z_]+|up)\\{[^}]*}"
              + "|\\bpytorchtrainingjob_[a-z_]+");

  private final MonitoredOperators operators = new MonitoredOperators();
  private final Prometheus prometheus = operators.prometheus();
  private final long seed = DRAWS ? 7 : System.nanoTime();
  private final Workload workload =
      new Workload(operators.controlPlane().client(), operators.kubelet(), seed);
  private final Instant begin = Instant.now();

  @BeforeAll
  void work() {
    System.err.println("seed of the jobs: " + seed);
    workload.oneOfEach();
    if (DRAWS) {
      await("jobs have come for " + DRAWN)
          .atMost(DRAWN.plus(PATIENCE))
          .pollInterval(Duration.ofSeconds(2))
          .until(
              () -> {
                workload.one();
                return Instant.now().isAfter(begin.plus(DRAWN));
              });
    }
  }

  @AfterAll
  void stop() {
    operators.close();
  }

  @Order(1)
  @Test
  void everyPanelAndFilterHasSomethingToShow() {
    await("data in all panels")
        .atMost(PATIENCE)
        .pollInterval(Duration.ofSeconds(2))
        .untilAsserted(
            () -> {
              workload.more();
              assertThat(withoutData()).isEmpty();
            });
  }

  /** What a filter leaves of one kind must not be empty, and what it adds must not be hidden. */
  @Order(1)
  @ParameterizedTest
  @ValueSource(strings = {"PyTorchTrainingJob", "PyTorchJob"})
  void eachKindIsShownAlone(String kind) {
    await("data of " + kind)
        .atMost(PATIENCE)
        .pollInterval(Duration.ofSeconds(2))
        .untilAsserted(
            () -> {
              workload.more();
              List<String> without = new ArrayList<>();
              for (Dashboard dashboard : Dashboard.all()) {
                for (Panel panel : dashboard.panels()) {
                  for (Target target : panel.targets()) {
                    if (target.expression().contains("$kind")
                        && answer(dashboard, target.ofKind(kind)).stream()
                            .noneMatch(Series::hasData)) {
                      without.add(dashboard.name() + " / " + panel.title());
                    }
                  }
                }
              }
              assertThat(without).isEmpty();
            });
  }

  @Order(1)
  @Test
  void jobsOfBothKindsAreAddedUp() {
    Dashboard dashboard = named("jobs");
    Target pending = titled(dashboard, "Pending").targets().get(0);

    await("both stuck jobs are counted")
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              assertThat(last(dashboard, pending.ofKind("PyTorchTrainingJob"))).isPositive();
              assertThat(last(dashboard, pending.ofKind("PyTorchJob"))).isPositive();
              assertThat(last(dashboard, pending))
                  .isEqualTo(
                      last(dashboard, pending.ofKind("PyTorchTrainingJob"))
                          + last(dashboard, pending.ofKind("PyTorchJob")));
            });
  }

  private double last(Dashboard dashboard, Target target) {
    return answer(dashboard, target).get(0).last();
  }

  private static Dashboard named(String name) {
    return Dashboard.all().stream()
        .filter(one -> one.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private static Panel titled(Dashboard dashboard, String title) {
    return dashboard.panels().stream()
        .filter(one -> one.title().equals(title))
        .findFirst()
        .orElseThrow();
  }

  private List<String> withoutData() {
    List<String> without = new ArrayList<>();
    for (Dashboard dashboard : Dashboard.all()) {
      for (Variable variable : dashboard.variables()) {
        if (!variable.isOfOthers()
            && dashboard.values(variable, FEW_SCRAPES, range(), prometheus).isEmpty()) {
          without.add(dashboard.name() + " / filter " + variable.name());
        }
      }
      for (Panel panel : dashboard.panels()) {
        String name = dashboard.name() + " / " + panel.title();
        for (Target target : panel.targets()) {
          List<Series> series = answer(dashboard, target); // Of others too: Prometheus reads it.
          if (!target.isOfOthers()
              && !target.expression().contains(PAUSES)
              && series.stream().noneMatch(Series::hasData)) {
            without.add(name + ": " + target.expression());
          }
        }
      }
    }
    return without;
  }

  private List<Series> answer(Dashboard dashboard, Target target) {
    String expression = dashboard.filled(target.expression(), FEW_SCRAPES, range(), prometheus);
    return target.isRange()
        ? prometheus.between(expression, begin, Instant.now(), STEP)
        : prometheus.now(expression);
  }

  private String range() {
    return Duration.between(begin, Instant.now()).toSeconds() + 1 + "s";
  }

  @Order(1)
  @Test
  void theQuestionsOfTheReferenceHaveAnswers() {
    await("answers")
        .atMost(PATIENCE)
        .pollInterval(Duration.ofSeconds(2))
        .untilAsserted(
            () ->
                assertThat(Metric.values())
                    .extracting(metric -> MetricNotes.of(metric).query())
                    .filteredOn(query -> !EMPTY_WHILE_ALL_IS_WELL.containsKey(query))
                    .allSatisfy(query -> assertThat(prometheus.now(query)).as(query).isNotEmpty()));
    EMPTY_WHILE_ALL_IS_WELL.keySet().forEach(prometheus::now);
  }

  @Order(1)
  @Test
  void theMetricsOfFrameworksThatAreUsedAreThere() {
    for (FrameworkMetric metric : FrameworkMetric.USED) {
      boolean summary = metric.type().equals("summary");
      if (NOT_SELECTED_WHILE_ALL_IS_WELL.containsKey(metric.name())
          || metric.name().equals(PAUSES)) {
        continue;
      }
      List<Series> series = prometheus.now(metric.name() + (summary ? "_count" : ""));
      assertThat(series).as(metric.name()).isNotEmpty();
      assertThat(series)
          .as(metric.name())
          .allSatisfy(one -> assertThat(one.labels().keySet()).containsAll(metric.labels()));
    }
  }

  /** Prometheus watches the API server too, as it watches everything in a cluster. */
  @Order(1)
  @Test
  void othersAreNotTakenForOperators() {
    Dashboard dashboard = named("operator");
    Panel panel = titled(dashboard, "Operators");

    assertThat(answer(dashboard, panel.targets().get(0)))
        .singleElement()
        .satisfies(series -> assertThat(series.last()).isEqualTo(2));
    assertThat(prometheus.now("count(up)").get(0).last()).isEqualTo(3);
  }

  /** The namespace of jobs must not be hidden behind the one of the operator. */
  @Order(1)
  @Test
  void theNamespaceOfJobsIsTheirs() {
    assertThat(prometheus.labelValues("namespace", Metric.JOBS.exposed()))
        .containsExactlyInAnyOrderElementsOf(Workload.TEAMS);
    assertThat(prometheus.labelValues("namespace", Metric.LEADER.exposed()))
        .containsExactly("pytorchtrainingjob-system");
  }

  @Order(1)
  @Test
  void alertsAreReadAndSelectWhatThereIs() {
    await("all rules were evaluated")
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                assertThat(prometheus.rules())
                    .hasSizeGreaterThan(10)
                    .allSatisfy(
                        rule ->
                            assertThat(rule.path("health").asText())
                                .as(rule.toString())
                                .isEqualTo("ok")));
    Set<String> without = new TreeSet<>();
    for (JsonNode rule : prometheus.rules()) {
      SELECTOR
          .matcher(rule.path("query").asText())
          .results()
          .map(MatchResult::group)
          .filter(selector -> prometheus.now(selector).isEmpty())
          .forEach(without::add);
    }
    assertThat(without)
        .allMatch(
            selector ->
                NOT_SELECTED_WHILE_ALL_IS_WELL.containsKey(selector.replaceFirst("\\{.*", "")));
  }

  @Order(1)
  @Test
  void noAlertFiresWhileAllIsWell() {
    assertThat(prometheus.rules())
        .filteredOn(rule -> rule.path("state").asText().equals("firing"))
        .isEmpty();
  }

  @Order(2)
  @Test
  void thePanelsCanBeDrawn() throws IOException {
    Path folder = Files.createDirectories(DRAWS ? PICTURES : Path.of("target/dashboards"));
    Instant end = Instant.now();
    for (Dashboard dashboard : Dashboard.all()) {
      if (dashboard.variables().stream().allMatch(Variable::isOfOthers)) {
        continue; // It would be a picture of empty panels.
      }
      DashboardPicture picture = new DashboardPicture(dashboard, begin, end);
      String svg = picture.draw(target -> answer(dashboard, target));
      Files.writeString(folder.resolve("dashboard-" + dashboard.name() + ".svg"), svg);
      assertThat(svg).contains(dashboard.title()).doesNotContain("NaN", "Infinity");
      dashboard.panels().forEach(panel -> assertThat(svg).contains(">" + panel.title() + "<"));
    }
  }

  @Order(3)
  @Test
  void whatIsWrongIsSeenWhenTheOperatorsAreKilled() {
    String down = expression("PyTorchTrainingJobOperatorDown");
    String notReached = expression("PyTorchTrainingJobWebhookNotReached");
    assertThat(prometheus.now(down)).isEmpty();
    assertThat(prometheus.now(notReached)).isEmpty();

    operators.kill();

    await("the operators are missed").atMost(PATIENCE).until(() -> !prometheus.now(down).isEmpty());
    await("API servers count calls that fail")
        .atMost(PATIENCE)
        .pollInterval(Duration.ofSeconds(2))
        .until(
            () -> {
              assertThat(workload.refused("vision")).contains("failed calling webhook");
              return !prometheus.now(notReached).isEmpty();
            });
  }

  private String expression(String alert) {
    return prometheus.rules().stream()
        .filter(rule -> rule.path("name").asText().equals(alert))
        .map(rule -> rule.path("query").asText())
        .findFirst()
        .orElseThrow();
  }
}
