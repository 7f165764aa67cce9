package dev.tensorstack.training.operator;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What an operator tells Prometheus.
 *
 * @param types the type of each metric, by its name as queries write it
 * @param samples all values
 */
public record MetricsPage(Map<String, String> types, List<Sample> samples) {

  private static final Pattern SAMPLE =
      Pattern.compile("^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\\{(.*)})? (\\S+)$");
  private static final Pattern LABEL = Pattern.compile("(\\w+)=\"((?:\\\\.|[^\"\\\\])*)\"");
  private static final Pattern OF_A_HISTOGRAM = Pattern.compile("_(bucket|sum|count)$");

  /**
   * A value.
   *
   * @param name the series' name
   * @param labels its labels
   * @param value its value
   */
  public record Sample(String name, Map<String, String> labels, double value) {}

  /**
   * The page of an operator now.
   *
   * @param operator a running operator
   * @return what it tells; empty when it does not answer
   */
  public static MetricsPage of(OperatorProcess operator) {
    OperatorProcess.Answer answer = operator.get("/q/metrics");
    return parse(answer.statusCode() == 200 ? answer.body() : "");
  }

  private static MetricsPage parse(String text) {
    Map<String, String> types = new TreeMap<>();
    List<Sample> samples = new ArrayList<>();
    for (String line : text.split("\n", -1)) {
      if (line.startsWith("# TYPE ")) {
        String[] words = line.split(" ", -1);
        String suffix = words[3].equals("counter") && !words[2].endsWith("_total") ? "_total" : "";
        types.put(words[2] + suffix, words[3]);
      } else if (!line.startsWith("#")) {
        Matcher sample = SAMPLE.matcher(line);
        if (sample.matches()) {
          Map<String, String> labels = new LinkedHashMap<>();
          Matcher label = LABEL.matcher(sample.group(2) == null ? "" : sample.group(2));
          while (label.find()) {
            labels.put(label.group(1), label.group(2));
          }
          samples.add(new Sample(sample.group(1), labels, Double.parseDouble(sample.group(3))));
        }
      }
    }
    return new MetricsPage(types, samples);
  }

  /**
   * The sum of the series of a name that have these labels.
   *
   * @param labels names and values in turns
   * @return 0 when there is none
   */
  public double sum(String name, String... labels) {
    return samples.stream()
        .filter(sample -> sample.name().equals(name) && has(sample, labels))
        .mapToDouble(Sample::value)
        .sum();
  }

  private static boolean has(Sample sample, String... labels) {
    for (int i = 0; i < labels.length; i += 2) {
      if (!labels[i + 1].equals(sample.labels().get(labels[i]))) {
        return false;
      }
    }
    return true;
  }

  /** The names of a metric's labels, but for the bounds of buckets. */
  Set<String> labels(String metric) {
    Set<String> names = new TreeSet<>();
    samples.stream()
        .filter(
            sample ->
                sample.name().equals(metric)
                    || OF_A_HISTOGRAM.matcher(sample.name()).replaceAll("").equals(metric))
        .forEach(sample -> names.addAll(sample.labels().keySet()));
    names.remove("le");
    return names;
  }
}
