package dev.tensorstack.training.monitoring;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tensorstack.training.chart.ChartFiles;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A dashboard of the chart, as far as its queries and its look in pictures go.
 *
 * @param name the file's name without {@code .json}
 * @param title its title
 * @param variables those that ask Prometheus
 * @param panels rows, which are headings, among them
 */
record Dashboard(String name, String title, List<Variable> variables, List<Panel> panels) {

  /** A regular expression as Grafana writes it. */
  private static final Pattern REGEX = Pattern.compile("/(.*)/(i?)");

  /** {@code $1} is a part of what {@code label_replace} has found. */
  private static final Pattern UNKNOWN = Pattern.compile("\\$[^0-9]");

  /** Metrics of kube-state-metrics, cAdvisor and the DCGM exporter. */
  private static final Pattern OF_OTHERS = Pattern.compile("\\b(kube|container|DCGM)_[a-zA-Z_]+");

  private static final Pattern LABEL_VALUES = Pattern.compile("label_values\\((.*), (\\w+)\\)");

  /**
   * A filter.
   *
   * @param name its name, without the dollar
   * @param selector which series have the label
   * @param label whose values can be chosen
   * @param all what stands for all of them; empty when they are listed
   */
  record Variable(String name, String selector, String label, String all) {

    /** Whether it asks for what only a cluster with its usual exporters has. */
    boolean isOfOthers() {
      return OF_OTHERS.matcher(selector).find();
    }
  }

  /**
   * A panel.
   *
   * @param type for example {@code timeseries}; {@code row} is a heading
   * @param title its title
   * @param place where it is
   * @param definition all of it
   * @param targets its queries
   */
  record Panel(String type, String title, Place place, JsonNode definition, List<Target> targets) {

    /** The unit of its values: {@code short}, {@code s}, {@code bytes}, {@code percentunit}. */
    String unit() {
      return definition.at("/fieldConfig/defaults/unit").asText();
    }

    /** How many digits follow the point; -1 when it depends on the number. */
    int decimals() {
      return definition.at("/fieldConfig/defaults/decimals").asInt(-1);
    }

    /** The colour that a series of this name always has; the last override counts. */
    Optional<String> fixedColour(String series) {
      String colour = null;
      for (JsonNode override : definition.at("/fieldConfig/overrides")) {
        Matcher regex = REGEX.matcher(override.at("/matcher/options").asText());
        String fixed = override.at("/properties/0/value/fixedColor").asText();
        if (regex.matches()
            && !fixed.isEmpty()
            && Pattern.compile(
                    regex.group(1), regex.group(2).isEmpty() ? 0 : Pattern.CASE_INSENSITIVE)
                .matcher(series)
                .find()) {
          colour = fixed;
        }
      }
      return Optional.ofNullable(colour);
    }

    /** Whether the series lie on top of each other. */
    boolean isStacked() {
      return definition.at("/fieldConfig/defaults/custom/stacking/mode").asText().equals("normal");
    }
  }

  /** A place, in the 24 columns and the lines of a dashboard. */
  record Place(int x, int y, int width, int height) {}

  /**
   * A query.
   *
   * @param expression PromQL with variables
   * @param legend how a series is called; {@code {{label}}} stands for a value
   * @param isRange whether it asks about a time, and not about now
   */
  record Target(String expression, String legend, boolean isRange) {

    /** Whether it asks for what only a cluster with its usual exporters has. */
    boolean isOfOthers() {
      return OF_OTHERS.matcher(expression).find();
    }

    /** The same query when one kind of jobs is chosen. */
    Target ofKind(String kind) {
      return new Target(expression.replace("$kind", kind), legend, isRange);
    }

    /** The name of a series in the legend. */
    String legend(Series series) {
      Matcher placeholder = Pattern.compile("\\{\\{(\\w+)}}").matcher(legend);
      return placeholder.replaceAll(
          found -> Matcher.quoteReplacement(series.labels().getOrDefault(found.group(1), "")));
    }
  }

  /** All of the chart. */
  static List<Dashboard> all() {
    return ChartFiles.list(ChartFiles.CHART.resolve("files/dashboards"))
        .map(file -> of(file.getFileName().toString().replace(".json", ""), ChartFiles.json(file)))
        .toList();
  }

  private static Dashboard of(String name, JsonNode json) {
    List<Variable> variables = new ArrayList<>();
    for (JsonNode variable : json.at("/templating/list")) {
      if (variable.path("type").asText().equals("query")) {
        Matcher query = LABEL_VALUES.matcher(variable.path("definition").asText());
        if (!query.matches()
            || !variable.at("/query/query").asText().equals(variable.path("definition").asText())) {
          throw new AssertionError(name + ": variable " + variable);
        }
        variables.add(
            new Variable(
                variable.path("name").asText(),
                query.group(1),
                query.group(2),
                variable.path("allValue").asText()));
      }
    }
    List<Panel> panels = new ArrayList<>();
    for (JsonNode panel : json.path("panels")) {
      List<Target> targets = new ArrayList<>();
      for (JsonNode target : panel.path("targets")) {
        targets.add(
            new Target(
                target.path("expr").asText(),
                target.path("legendFormat").asText(),
                target.path("range").asBoolean()));
      }
      JsonNode place = panel.path("gridPos");
      panels.add(
          new Panel(
              panel.path("type").asText(),
              panel.path("title").asText(),
              new Place(
                  place.path("x").asInt(),
                  place.path("y").asInt(),
                  place.path("w").asInt(),
                  place.path("h").asInt()),
              panel,
              targets));
    }
    return new Dashboard(name, json.path("title").asText(), variables, panels);
  }

  /**
   * An expression as Grafana sends it when all is chosen in all filters.
   *
   * @param expression with variables
   * @param rateInterval what stands for a few scrapes, for example {@code 10s}
   * @param range how much time is shown, for example {@code 5m}
   * @param prometheus is asked for the values of filters that list them
   */
  String filled(String expression, String rateInterval, String range, Prometheus prometheus) {
    String filled = expression.replace("$__rate_interval", rateInterval).replace("$__range", range);
    for (Variable variable : variables) {
      Pattern use = Pattern.compile("\\$" + variable.name() + "\\b");
      if (use.matcher(filled).find()) {
        String all =
            variable.all().isEmpty()
                ? "(" + String.join("|", values(variable, rateInterval, range, prometheus)) + ")"
                : variable.all();
        filled = use.matcher(filled).replaceAll(Matcher.quoteReplacement(all));
      }
    }
    if (UNKNOWN.matcher(filled).find()) {
      throw new AssertionError("unknown variable in " + filled);
    }
    return filled;
  }

  /** What can be chosen in a filter. */
  List<String> values(Variable variable, String rateInterval, String range, Prometheus prometheus) {
    return prometheus.labelValues(
        variable.label(), filled(variable.selector(), rateInterval, range, prometheus));
  }
}
