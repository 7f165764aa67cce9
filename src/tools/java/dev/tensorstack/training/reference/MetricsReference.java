package dev.tensorstack.training.reference;

import dev.tensorstack.training.core.naming.Metric;
import dev.tensorstack.training.core.naming.Metric.Kind;
import dev.tensorstack.training.reference.MetricNotes.Label;
import dev.tensorstack.training.reference.MetricNotes.Section;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The page about metrics, made from {@link Metric} and {@link MetricNotes}. */
public final class MetricsReference {

  /** Where the project keeps the page, relative to the checkout. */
  public static final Path FILE = Path.of("docs/reference/metrics.md");

  private MetricsReference() {}

  /**
   * Generates the page.
   *
   * @return Markdown
   */
  public static String generate() {
    StringBuilder page =
        new StringBuilder(
            """
            # Metrics

            <!-- Made from Metric.java and MetricNotes.java by GeneratedFilesTest; do not edit. -->

            The operator tells Prometheus on port 9000, `/q/metrics`, without TLS, or [over HTTPS](../operations/monitoring.md#metrics-over-https).
            This page has all metrics of its own; how to have them collected, alerts and dashboards: [monitoring](../operations/monitoring.md).

            - No label names a job, a pod or a uid. `namespace` is that of the jobs; there are series only for namespaces in which jobs
              are or were.
            - `kind` says of which kind of jobs a series tells: add up over it, or choose one.
            - **Counters and histograms** are those of a process: they begin with 0 when the operator is started, which `rate` and
              `increase` know. A change is counted once, when the status that says it is stored, by the replica that stored it: a
              restart of the operator or a take-over counts nothing again. What is stored in the very moment of a kill may be missing.
            - **`pytorchtrainingjob_jobs` and `pytorchtrainingjob_replicas`** are added up each second from the statuses that are
              stored, so they are right as soon as the operator works. Only the replica that works on jobs has them.
            - Add up over the replicas of the operator: `sum by (…) (…)`. Webhooks are counted where they were answered.
            - Of a histogram there are `_bucket`, `_sum` and `_count`, and a gauge `_max`: the longest of the last minutes.

            """);
    section(page, "Jobs", Section.JOBS);
    section(page, "Admission", Section.ADMISSION);
    section(page, "The operator", Section.OPERATOR);
    page.append(
        """
        ## Questions

        | Question | PromQL |
        |---|---|
        """);
    for (Metric metric : Metric.values()) {
      page.append("| ")
          .append(MetricNotes.of(metric).question())
          .append(" | `")
          .append(MetricNotes.of(metric).query())
          .append("` |\n");
    }
    page.append(
        """

        ## Under the names of Kubeflow's operator

        Of `PyTorchJob`s there are the counters `training_operator_jobs_created_total`, `training_operator_jobs_deleted_total`,
        `training_operator_jobs_successful_total`, `training_operator_jobs_failed_total` and `training_operator_jobs_restarted_total`, with
        the labels `job_namespace` and `framework` (pytorch), so that dashboards and alerts made for that operator go on.

        ## Metrics of the frameworks

        There are many more: `operator_sdk_*` of the Java Operator SDK, `http_server_*` of the webhooks' server, `jvm_*`, `process_*`,
        `system_*`. Dashboards and alerts use these; the native image has them too, but for the times of the GC.

        | Metric | Type | Labels | Meaning |
        |---|---|---|---|
        """);
    for (FrameworkMetric metric : FrameworkMetric.USED) {
      row(
          page,
          "`" + metric.name() + "`",
          metric.type(),
          orNone(metric.labels().stream().map(label -> "`" + label + "`")),
          metric.meaning());
    }
    return page.toString();
  }

  private static void section(StringBuilder page, String title, Section section) {
    page.append("## ")
        .append(title)
        .append("\n\n| Metric | Type | Unit | Labels | Meaning |\n|---|---|---|---|---|\n");
    for (Metric metric : Metric.values()) {
      if (MetricNotes.of(metric).section() == section) {
        row(
            page,
            "`" + metric.exposed() + "`",
            type(metric.kind()),
            MetricNotes.of(metric).unit(),
            orNone(MetricNotes.of(metric).labels().stream().map(MetricsReference::label)),
            metric.description()
                + (MetricNotes.of(metric).note().isEmpty()
                    ? ""
                    : ". " + MetricNotes.of(metric).note()));
      }
    }
    page.append("\n");
  }

  private static String label(Label label) {
    return "`" + label.name() + "`: " + label.values();
  }

  /**
   * A metric's type as Prometheus writes it.
   *
   * @param kind the kind
   * @return for example {@code gauge}
   */
  public static String type(Kind kind) {
    return kind.name().toLowerCase(Locale.ROOT);
  }

  private static String orNone(Stream<String> labels) {
    String all = labels.collect(Collectors.joining("<br>"));
    return all.isEmpty() ? "–" : all;
  }

  private static void row(StringBuilder page, String... cells) {
    page.append("| ").append(String.join(" | ", List.of(cells))).append(" |\n");
  }
}
