package dev.tensorstack.training.chart;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tensorstack.training.core.naming.Metric;
import dev.tensorstack.training.docs.Page;
import dev.tensorstack.training.reference.ChartReference;
import dev.tensorstack.training.reference.ChartReference.Value;
import dev.tensorstack.training.reference.FrameworkMetric;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The chart's files, as far as they can be judged without Helm. */
class ChartFilesTest {

  private static final JsonNode SCHEMA =
      ChartFiles.json(ChartFiles.CHART.resolve("values.schema.json"));

  /** Objects with keys of the user's choice, or which the API server checks. */
  private static final Set<String> FREE =
      Set.of(
          "/properties/global",
          "/definitions/strings",
          "/definitions/labels",
          "/definitions/kubernetesObjects/items",
          "/definitions/kubernetesObject",
          "/definitions/quantities");

  /** Settings that the chart gives no value for, or only with certain values. */
  private static final Set<String> NOT_BY_DEFAULT =
      Set.of(
          "OPERATOR_WATCH_NAMESPACES", // only when namespaces are named
          "OPERATOR_PYTORCHJOB_INIT_CONTAINER_TEMPLATE_FILE", // only for a template that is given
          "OPERATOR_WEBHOOKS_URL", // outside of a cluster
          "OPERATOR_PROGRESS_URL",
          "OPERATOR_DEFAULTS_CLEAN_UP_POLICY", // only what an administrator sets
          "OPERATOR_DEFAULTS_TTL_SECONDS_AFTER_FINISHED",
          "OPERATOR_DEFAULTS_QUEUE",
          "OPERATOR_DEFAULTS_TENSORBOARD_IMAGE",
          "OPERATOR_DEFAULTS_SCHEDULER",
          "OPERATOR_METRICS_SECURE_PORT", // only when metrics are secure: ChartRenderingIT
          "OPERATOR_METRICS_SERVICE",
          "OPERATOR_PROGRESS_CA", // only where somebody else makes the certificate
          "OPERATOR_WEBHOOKS_CLIENT_CA", // only for API servers with a certificate
          "OPERATOR_WEBHOOKS_CLIENT_NAMES",
          "OPERATOR_WEBHOOKS_CERTIFICATE_DIR"); // only for provided certificates

  /** Names of metrics in PromQL: those with one of the prefixes that there are. */
  private static final Pattern METRIC =
      Pattern.compile(
          "\\b((?:pytorchtrainingjob|operator_sdk|http_server|apiserver|process|system|jvm"
              + "|kube|container|DCGM)_[a-zA-Z_]+|up)\\b(?=\\{|\\[|\\)|,| |$)");

  /**
   * Metrics of others that panels and alerts may use beside the operator's and frameworks': of API
   * servers, kube-state-metrics, cAdvisor and NVIDIA's DCGM exporter.
   */
  private static final Set<String> METRICS_OF_OTHERS =
      Set.of(
          "apiserver_admission_webhook_rejection_count",
          "up",
          "kube_pod_container_resource_limits",
          "kube_pod_container_resource_requests",
          "kube_pod_container_status_restarts_total",
          "kube_pod_container_status_terminated_reason",
          "kube_pod_container_status_waiting_reason",
          "kube_pod_created",
          "kube_pod_info",
          "kube_pod_owner",
          "kube_pod_status_phase",
          "container_cpu_cfs_periods_total",
          "container_cpu_cfs_throttled_periods_total",
          "container_cpu_usage_seconds_total",
          "container_fs_reads_bytes_total",
          "container_memory_working_set_bytes",
          "container_network_receive_bytes_total",
          "container_network_transmit_bytes_total",
          "DCGM_FI_DEV_FB_USED",
          "DCGM_FI_DEV_GPU_TEMP",
          "DCGM_FI_DEV_GPU_UTIL",
          "DCGM_FI_DEV_POWER_USAGE",
          "DCGM_FI_DEV_XID_ERRORS",
          "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE");

  /** States whose colour is the same wherever they are shown. */
  private static final Map<String, String> COLOURS = Map.of("failed", "red", "running", "green");

  /** The values of {@code metrics.prometheusRule.thresholds} by the alerts that they are for. */
  private static final Pattern THRESHOLD_OF = Pattern.compile("^`(PyTorchTrainingJob\\w+)`: ");

  static Stream<Path> dashboards() {
    return ChartFiles.list(ChartFiles.CHART.resolve("files/dashboards"));
  }

  @Test
  void itsVersionIsTheProjects() {
    JsonNode chart = ChartFiles.yaml(ChartFiles.CHART.resolve("Chart.yaml"));
    String pom = ChartFiles.text(Path.of("pom.xml"));
    Matcher version = Pattern.compile("<version>(.*)</version>").matcher(pom);
    assertThat(version.find()).isTrue();

    assertThat(chart.path("version").asText()).isEqualTo(version.group(1));
    assertThat(chart.path("appVersion").asText()).isEqualTo(version.group(1));
  }

  @Test
  void whatItTellsArtifactHubIsTrue() {
    JsonNode chart = ChartFiles.yaml(ChartFiles.CHART.resolve("Chart.yaml"));

    assertThat(told(chart, "crds"))
        .extracting(
            crd ->
                List.of(
                    crd.path("name").asText(),
                    crd.path("version").asText(),
                    crd.path("kind").asText()))
        .containsExactlyInAnyOrderElementsOf(
            crds().stream()
                .map(
                    crd ->
                        List.of(
                            crd.at("/metadata/name").asText(),
                            crd.at("/spec/versions/0/name").asText(),
                            crd.at("/spec/names/kind").asText()))
                .toList());
    assertThat(told(chart, "crdsExamples"))
        .extracting(example -> example.path("kind").asText())
        .containsExactlyInAnyOrderElementsOf(
            told(chart, "crds").stream().map(crd -> crd.path("kind").asText()).toList());
    assertThat(told(chart, "changes"))
        .isNotEmpty()
        .allSatisfy(
            change -> {
              assertThat(change.path("kind").asText())
                  .isIn("added", "changed", "deprecated", "removed", "fixed", "security");
              assertThat(change.path("description").asText()).isNotBlank();
            });
    String home = chart.path("home").asText();
    List<String> addresses = new ArrayList<>(List.of(chart.path("icon").asText()));
    told(chart, "links").forEach(link -> addresses.add(link.path("url").asText()));
    for (String address : addresses) {
      Matcher file = Pattern.compile("/(?:blob/)?main/(.+)$").matcher(address);
      if (file.find()) {
        assertThat(Path.of(file.group(1))).as(address).exists();
      } else {
        assertThat(address).startsWith(home);
      }
    }
    assertThat(chart.at("/sources/0").asText()).isEqualTo(home);
    assertThat(chart.at("/maintainers/0/name").asText()).isNotBlank();
  }

  /** The items of a list that stands in an annotation as text. */
  private static List<JsonNode> told(JsonNode chart, String annotation) {
    return ChartFiles.documents(
        chart.path("annotations").path("artifacthub.io/" + annotation).asText());
  }

  private static List<JsonNode> crds() {
    return ChartFiles.list(ChartFiles.CHART.resolve("files"))
        .filter(file -> file.getFileName().toString().endsWith("-v1.yml"))
        .map(ChartFiles::yaml)
        .toList();
  }

  /** Paths are lists of keys; those of labels and values begin where that of the series ends. */
  @Test
  void aSeriesOfKubeStateMetricsComesFromAFieldThatTheCrdHasAndIsDocumented() {
    JsonNode configuration =
        ChartFiles.yaml(ChartFiles.CHART.resolve("files/kube-state-metrics.yml"));
    String page = ChartFiles.text(Path.of("docs/operations/monitoring.md"));
    int series = 0;
    for (JsonNode resource : configuration.at("/spec/resources")) {
      JsonNode wanted = resource.path("groupVersionKind");
      JsonNode crd =
          crds().stream()
              .filter(candidate -> candidate.at("/spec/names/kind").equals(wanted.path("kind")))
              .findFirst()
              .orElseThrow();
      assertThat(crd.at("/spec/group")).isEqualTo(wanted.path("group"));
      assertThat(crd.at("/spec/versions/0/name")).isEqualTo(wanted.path("version"));
      JsonNode schema = crd.at("/spec/versions/0/schema/openAPIV3Schema");
      resource.path("labelsFromPath").forEach(path -> assertField(schema, path));
      for (JsonNode metric : resource.path("metrics")) {
        String name =
            resource.path("metricNamePrefix").asText() + "_" + metric.path("name").asText();
        assertThat(page).contains("`" + name + "`");
        assertThat(metric.path("help").asText()).isNotBlank();
        JsonNode each = metric.path("each");
        String type = each.path("type").asText();
        JsonNode source =
            each.path(type.equals("StateSet") ? "stateSet" : type.toLowerCase(Locale.ROOT));
        assertThat(source.isObject()).as(name).isTrue();
        JsonNode found = field(schema, source.path("path"));
        if (found.has("items")) {
          found = found.path("items");
        } else if (found.has("additionalProperties")) {
          assertThat(source.has("labelFromKey")).as(name).isTrue();
          found = found.path("additionalProperties");
        }
        JsonNode item = found;
        assertField(item, source.path("valueFrom"));
        source.path("labelsFromPath").forEach(path -> assertField(item, path));
        if (type.equals("StateSet")) {
          assertThat(source.path("list")).isEqualTo(item.path("enum"));
        }
        series++;
      }
    }
    assertThat(series).isGreaterThan(20);
  }

  private static void assertField(JsonNode schema, JsonNode path) {
    assertThat(field(schema, path).isMissingNode()).as("%s", path).isFalse();
  }

  private static JsonNode field(JsonNode schema, JsonNode path) {
    JsonNode found = schema;
    for (JsonNode key : path) {
      if (key.asText().equals("metadata")) {
        assertThat(path.get(1).asText()).isIn("name", "namespace", "uid", "creationTimestamp");
        return path;
      }
      found = found.path("properties").path(key.asText());
    }
    assertThat(found.isMissingNode()).as("%s", path).isFalse();
    return found;
  }

  @Test
  void everyValueHasItsMeaningAboveIt() {
    assertThat(ChartReference.values())
        .hasSizeGreaterThan(100)
        .allSatisfy(value -> assertThat(value.meaning()).as(value.path()).isNotBlank());
  }

  @Test
  void theSchemaKnowsTheValuesAndNoOthers() {
    Set<String> declared = new TreeSet<>();
    addDeclared("", SCHEMA, declared);
    Set<String> values =
        ChartReference.values().stream()
            .map(Value::path)
            .filter(path -> !path.matches("(dashboards.labels|resources.(limits|requests))\\..+"))
            .collect(Collectors.toCollection(TreeSet::new));

    assertThat(declared).containsAll(values);
    declared.removeAll(values);
    assertThat(declared)
        .as("values without a default in values.yaml")
        .allMatch(
            path ->
                path.equals("global")
                    || path.matches("(podS|s)ecurityContext\\..*")
                    || path.matches("(strategy|resources|webhook.namespaceSelector)\\..*")
                    || path.matches("defaults.scheduler\\..*")
                    || path.matches("webhook.certificates.certManager.issuerRef\\..*"));
  }

  private static void addDeclared(String path, JsonNode schema, Set<String> declared) {
    for (var property : schema.path("properties").properties()) {
      String name = path.isEmpty() ? property.getKey() : path + "." + property.getKey();
      declared.add(name);
      JsonNode value = property.getValue();
      addDeclared(
          name,
          value.has("$ref") ? SCHEMA.at(value.get("$ref").asText().substring(1)) : value,
          declared);
    }
  }

  @Test
  void noObjectOfTheSchemaTakesUnknownKeys() {
    List<String> open = new ArrayList<>();
    addOpen("", SCHEMA, open);

    assertThat(open).containsExactlyInAnyOrderElementsOf(FREE);
  }

  private static void addOpen(String path, JsonNode schema, List<String> open) {
    if (schema.path("type").toString().contains("\"object\"")
        && !Objects.equals(schema.path("additionalProperties").asText(), "false")) {
      open.add(path);
    }
    for (String group : List.of("properties", "definitions")) {
      schema
          .path(group)
          .properties()
          .forEach(
              entry -> addOpen(path + "/" + group + "/" + entry.getKey(), entry.getValue(), open));
    }
    if (schema.has("items")) {
      addOpen(path + "/items", schema.get("items"), open);
    }
  }

  @Test
  void theDefaultsAreThoseOfTheSettings() {
    Map<String, String> settings = new LinkedHashMap<>();
    Pattern row = Pattern.compile("^\\| `(OPERATOR_[A-Z_]+)` \\| (`.*?`|[^|]*) \\|.*");
    ChartFiles.text(Path.of("docs/reference/configuration.md"))
        .lines()
        .map(row::matcher)
        .filter(Matcher::matches)
        .forEach(matched -> settings.put(matched.group(1), matched.group(2).replace("`", "")));
    Map<String, String> chart = new LinkedHashMap<>();
    JsonNode deployment =
        ChartFiles.ofKind(
                ChartFiles.documents(ChartFiles.text(ChartFiles.golden("defaults"))), "Deployment")
            .get(0);
    deployment
        .at("/spec/template/spec/containers/0/env")
        .forEach(
            variable -> chart.put(variable.path("name").asText(), variable.path("value").asText()));

    assertThat(settings).hasSizeGreaterThan(15);
    settings.forEach(
        (name, value) -> {
          if (name.equals("OPERATOR_NAMESPACE") || name.startsWith("OPERATOR_OWN_POD_")) {
            assertThat(chart).containsKey(name);
          } else if (name.equals("OPERATOR_LEADER_ELECTION_ENABLED")) {
            assertThat(chart).containsEntry(name, "true");
          } else if (!NOT_BY_DEFAULT.contains(name)) {
            assertThat(chart).containsEntry(name, value);
          }
        });
  }

  @ParameterizedTest
  @MethodSource("dashboards")
  void aDashboardHasTitledPanelsThatDoNotOverlap(Path file) {
    JsonNode dashboard = ChartFiles.json(file);
    Set<Integer> ids = new HashSet<>();
    Set<String> cells = new HashSet<>();

    assertThat(dashboard.path("uid").asText())
        .isEqualTo("pytorchtrainingjob-" + file.getFileName().toString().replace(".json", ""));
    for (JsonNode panel : dashboard.path("panels")) {
      String title = panel.path("title").asText();
      assertThat(title).isNotBlank();
      assertThat(ids.add(panel.path("id").asInt())).as("id of %s", title).isTrue();
      JsonNode place = panel.path("gridPos");
      for (int x = 0; x < place.path("w").asInt(); x++) {
        for (int y = 0; y < place.path("h").asInt(); y++) {
          int column = place.path("x").asInt() + x;
          assertThat(column).as(title).isLessThan(24);
          assertThat(cells.add(column + " " + (place.path("y").asInt() + y))).as(title).isTrue();
        }
      }
      if (!panel.path("type").asText().equals("row")) {
        assertThat(panel.path("description").asText()).as(title).isNotBlank();
        assertThat(panel.path("targets")).as(title).isNotEmpty();
      }
    }
  }

  @ParameterizedTest
  @MethodSource("dashboards")
  void aDashboardUsesItsVariablesAndNoOthers(Path file) {
    JsonNode dashboard = ChartFiles.json(file);
    Set<String> variables = new TreeSet<>();
    dashboard
        .at("/templating/list")
        .forEach(variable -> variables.add(variable.path("name").asText()));
    Set<String> used = new TreeSet<>();
    Pattern.compile("\\$\\{?([a-z]+)")
        .matcher(dashboard.toString())
        .results()
        .map(found -> found.group(1))
        .forEach(used::add);

    assertThat(used).isEqualTo(variables);
  }

  /** Several clusters may have one Prometheus; where there is but one, the label is not there. */
  @ParameterizedTest
  @MethodSource("dashboards")
  void aDashboardCanBeOfOneCluster(Path file) {
    JsonNode dashboard = ChartFiles.json(file);
    List<String> expressions = dashboard.findValuesAsText("expr");
    dashboard
        .at("/templating/list")
        .forEach(
            variable -> {
              String name = variable.path("name").asText();
              if (name.equals("cluster")) {
                assertThat(variable.path("allValue").asText()).isEqualTo(".*");
              } else if (!name.equals("datasource")) {
                expressions.add(variable.path("definition").asText());
              }
            });

    assertThat(dashboard.at("/templating/list").findValuesAsText("name")).contains("cluster");
    assertThat(expressions)
        .allSatisfy(
            expression ->
                METRIC
                    .matcher(expression)
                    .results()
                    .forEach(
                        metric ->
                            assertThat(expression.substring(metric.end()))
                                .as("%s in %s", metric.group(), expression)
                                .startsWith("{cluster=~\"$cluster\"")));
  }

  @Test
  void oneDashboardIsAboutOneJob() {
    JsonNode variables =
        ChartFiles.json(ChartFiles.CHART.resolve("files/dashboards/job.json"))
            .at("/templating/list");

    assertThat(variables.findValuesAsText("name"))
        .containsExactly("datasource", "cluster", "namespace", "job");
    assertThat(List.of(variables.get(2), variables.get(3)))
        .allSatisfy(variable -> assertThat(variable.path("multi").asBoolean()).isFalse());
  }

  @ParameterizedTest
  @MethodSource("dashboards")
  void aStateHasTheSameColourInAllPanels(Path file) {
    for (JsonNode panel : ChartFiles.json(file).path("panels")) {
      boolean byState =
          panel.findValuesAsText("legendFormat").stream()
              .anyMatch(legend -> legend.matches(".*\\{\\{(phase|state|result)}}.*"));
      if (byState) {
        COLOURS.forEach(
            (state, colour) ->
                assertThat(panel.at("/fieldConfig/overrides"))
                    .as("%s in %s", state, panel.path("title").asText())
                    .anySatisfy(
                        override -> {
                          assertThat(override.at("/matcher/options").asText())
                              .isEqualTo("/\\b" + state + "\\b/i");
                          assertThat(override.at("/properties/0/value/fixedColor").asText())
                              .isEqualTo(colour);
                        }));
      }
    }
  }

  @Test
  void panelsAndAlertsUseMetricsThatThereAre() {
    List<String> expressions = new ArrayList<>();
    dashboards()
        .forEach(file -> ChartFiles.json(file).findValuesAsText("expr").forEach(expressions::add));
    rules().forEach(rule -> expressions.add(rule.path("expr").asText()));

    assertThat(expressions).hasSizeGreaterThan(50);
    Set<String> used =
        expressions.stream()
            .flatMap(expression -> METRIC.matcher(expression).results())
            .map(MatchResult::group)
            .map(metric -> metric.replaceFirst("_seconds_(bucket|count|sum|max)$", "_seconds"))
            .collect(Collectors.toCollection(TreeSet::new));
    Set<String> known = new TreeSet<>(METRICS_OF_OTHERS);
    Stream.of(Metric.values()).map(Metric::exposed).forEach(known::add);
    FrameworkMetric.USED.stream().map(FrameworkMetric::name).forEach(known::add);
    assertThat(used).isEqualTo(known);
  }

  @Test
  void anAlertSaysHowBadItIsAndWhatToDo() {
    List<JsonNode> rules = rules();

    assertThat(rules).hasSizeGreaterThan(10);
    assertThat(rules)
        .extracting(rule -> rule.path("alert").asText())
        .doesNotHaveDuplicates()
        .allMatch(name -> name.startsWith("PyTorchTrainingJob"));
    assertThat(rules)
        .allSatisfy(
            rule -> {
              assertThat(rule.at("/labels/severity").asText()).isIn("critical", "warning", "info");
              assertThat(rule.at("/annotations/summary").asText()).isNotBlank();
              assertThat(rule.at("/annotations/description").asText()).isNotBlank();
            });
  }

  @Test
  void anAlertLeadsToItsSectionOfTheRunbook() {
    Page runbook = Page.read(Path.of("docs/operations/troubleshooting.md"));
    String page =
        ChartReference.values().stream()
            .filter(value -> value.path().equals("metrics.prometheusRule.runbookUrl"))
            .map(value -> value.value().asText())
            .findFirst()
            .orElseThrow();

    assertThat(page).endsWith("/" + runbook.file());
    assertThat(rules())
        .allSatisfy(
            rule -> {
              String anchor = rule.path("alert").asText().toLowerCase(Locale.ROOT);
              assertThat(rule.at("/annotations/runbook_url").asText())
                  .isEqualTo(page + "#" + anchor);
              assertThat(runbook.anchors()).contains(anchor);
            });
  }

  /** What the chart replaces in an expression has to stand there, as the value's default. */
  @Test
  void aThresholdIsThatOfTheRuleFile() {
    String template = ChartFiles.text(ChartFiles.CHART.resolve("templates/prometheusrule.yaml"));
    List<Value> thresholds =
        ChartReference.values().stream()
            .filter(value -> value.path().startsWith("metrics.prometheusRule.thresholds."))
            .toList();

    assertThat(thresholds).hasSizeGreaterThan(5);
    for (Value threshold : thresholds) {
      Matcher alert = THRESHOLD_OF.matcher(threshold.meaning());
      assertThat(alert.find()).as(threshold.path()).isTrue();
      Matcher replaced =
          Pattern.compile(
                  "\\(list \"([^\"]+)\" \\(printf \"[^\"]+\" "
                      + Pattern.quote(threshold.path().replaceFirst("^metrics.prometheusRule", ""))
                      + "\\)\\)")
              .matcher(template);
      assertThat(replaced.find()).as(threshold.path()).isTrue();
      assertThat(replaced.group(1)).contains(" " + threshold.value().asText());
      String expression =
          rules().stream()
              .filter(rule -> rule.path("alert").asText().equals(alert.group(1)))
              .map(rule -> rule.path("expr").asText())
              .findFirst()
              .orElseThrow();
      assertThat(expression.split(Pattern.quote(replaced.group(1)), -1))
          .as("%s in %s", replaced.group(1), expression)
          .hasSize(2);
    }
  }

  private static List<JsonNode> rules() {
    List<JsonNode> rules = new ArrayList<>();
    ChartFiles.yaml(ChartFiles.CHART.resolve("files/alerts.yml"))
        .path("groups")
        .forEach(group -> group.path("rules").forEach(rules::add));
    return rules;
  }
}
