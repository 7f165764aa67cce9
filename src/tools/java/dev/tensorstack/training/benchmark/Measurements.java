package dev.tensorstack.training.benchmark;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;

/** Everything that was measured: by scenario, client and metric, one value for each round. */
final class Measurements {

  private final Map<String, Map<String, Map<Metric, List<Double>>>> values = new LinkedHashMap<>();
  private final Map<String, Map<String, Map<String, Double>>> requests = new LinkedHashMap<>();
  private final List<Curve> curves = new ArrayList<>();
  private final Map<String, String> failures = new LinkedHashMap<>();

  /**
   * Something over time.
   *
   * @param scenario of which scenario
   * @param title what goes up
   * @param client whose line it is
   * @param seconds since the begin of the round, ascending
   * @param values one for each moment
   */
  record Curve(
      String scenario, String title, String client, List<Double> seconds, List<Double> values) {}

  /** Adds the value of a round. */
  void add(String scenario, String client, Metric metric, double value) {
    values
        .computeIfAbsent(scenario, any -> new LinkedHashMap<>())
        .computeIfAbsent(client, any -> new TreeMap<>())
        .computeIfAbsent(metric, any -> new ArrayList<>())
        .add(value);
  }

  /** Keeps the requests of the latest round, by verb and resource. */
  void requests(String scenario, String client, Map<String, Double> byKind) {
    requests.computeIfAbsent(scenario, any -> new LinkedHashMap<>()).put(client, byKind);
  }

  /** Adds a line to a plot. */
  void curve(Curve curve) {
    curves.removeIf(
        old ->
            old.scenario().equals(curve.scenario())
                && old.title().equals(curve.title())
                && old.client().equals(curve.client()));
    curves.add(curve);
  }

  /** Adds the lines of the pods of a round: how many existed, and how many ran. */
  void curves(String scenario, String client, long begin, List<PodLife> pods) {
    curve(podCurve(scenario, "pods created", client, begin, pods, pod -> pod.created));
    curve(podCurve(scenario, "pods running", client, begin, pods, pod -> pod.running));
  }

  private static Curve podCurve(
      String scenario,
      String title,
      String client,
      long begin,
      List<PodLife> pods,
      Function<PodLife, Long> moment) {
    List<Double> seconds =
        pods.stream().map(moment).sorted().map(at -> Percentile.seconds(at - begin)).toList();
    List<Double> counts = new ArrayList<>();
    for (int i = 1; i <= seconds.size(); i++) {
      counts.add((double) i);
    }
    return new Curve(scenario, title, client, seconds, counts);
  }

  /** A scenario did not come to its end. */
  void failed(String scenario, Throwable problem) {
    failures.put(scenario, problem.toString());
  }

  /** The values of one kind; empty when there are none. */
  Optional<Summary> summary(String scenario, String client, Metric metric) {
    List<Double> found =
        values.getOrDefault(scenario, Map.of()).getOrDefault(client, Map.of()).get(metric);
    return found == null ? Optional.empty() : Optional.of(Summary.of(found, Double::doubleValue));
  }

  /** By scenario, client and metric. */
  Map<String, Map<String, Map<Metric, List<Double>>>> values() {
    return values;
  }

  /** By scenario, client, and verb with resource: how many for each job. */
  Map<String, Map<String, Map<String, Double>>> requests() {
    return requests;
  }

  List<Curve> curves() {
    return List.copyOf(curves);
  }

  /** What went wrong, by scenario. */
  Map<String, String> failures() {
    return failures;
  }
}
