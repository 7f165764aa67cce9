package dev.tensorstack.training.reference;

import dev.tensorstack.training.core.naming.Metric;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * What docs/reference/metrics.md says of a metric beside its description.
 *
 * @param section the part of the page that has it
 * @param unit what it counts or measures in, for example seconds
 * @param note what else there is to know: Markdown without the full stop, as in a page of
 *     docs/reference; empty for nothing
 * @param labels its labels, in the order of their names
 * @param question a question that it answers: a sentence
 * @param query how to ask it: PromQL
 */
public record MetricNotes(
    Section section, String unit, String note, List<Label> labels, String question, String query) {

  /** What a metric is about. */
  public enum Section {
    /** Jobs and their pods. */
    JOBS,
    /** The webhooks. */
    ADMISSION,
    /** The operator itself. */
    OPERATOR
  }

  /**
   * A label of a metric.
   *
   * @param name its name
   * @param values what it can be, in words; Markdown
   */
  public record Label(String name, String values) {
    private static final Label KIND =
        new Label(Metric.KIND_LABEL, "PyTorchTrainingJob, PyTorchJob");
    private static final Label NAMESPACE = new Label("namespace", "that of the jobs");
    private static final Label RESULT = new Label("result", "succeeded, failed");
    private static final Label WEBHOOK = new Label("webhook", "mutate, validate");
  }

  private static final Map<Metric, MetricNotes> ALL = new EnumMap<>(Metric.class);

  static {
    ALL.put(
        Metric.JOBS,
        new MetricNotes(
            Section.JOBS,
            "jobs",
            "[Phases](../concepts.md#phase-reason-conditions). A suspended PyTorchJob is Paused",
            List.of(
                Label.NAMESPACE,
                new Label(
                    "phase", "Pending, Running, Paused, Resuming, Succeeded, Failed, Unknown")),
            "Which jobs wait?",
            "sum by (namespace) (pytorchtrainingjob_jobs{phase=\"Pending\"})"));
    ALL.put(
        Metric.REPLICAS,
        new MetricNotes(
            Section.JOBS,
            "replicas",
            "As `status.aggregate` of a PyTorchTrainingJob counts them",
            List.of(
                Label.NAMESPACE,
                new Label(
                    "state", "creating, pending, running, succeeded, failed, unknown, deleted")),
            "How many pods train?",
            "sum(pytorchtrainingjob_replicas{state=\"running\"})"));
    ALL.put(
        Metric.CREATED,
        new MetricNotes(
            Section.JOBS,
            "jobs",
            "",
            List.of(Label.NAMESPACE),
            "How many jobs came in the last day?",
            "sum(increase(pytorchtrainingjob_created_total[1d]))"));
    ALL.put(
        Metric.FINISHED,
        new MetricNotes(
            Section.JOBS,
            "jobs",
            "`reason` is that of the condition that ended the job",
            List.of(
                Label.NAMESPACE,
                new Label(
                    "reason",
                    "Succeeded, ReplicaFailed, BackoffLimitExceeded, DeadlineExceeded, InvalidSpec"),
                Label.RESULT),
            "Which share of jobs fails?",
            "sum(rate(pytorchtrainingjob_finished_total{result=\"failed\"}[1h]))"
                + " / sum(rate(pytorchtrainingjob_finished_total[1h]))"));
    ALL.put(
        Metric.RESTARTS,
        new MetricNotes(
            Section.JOBS,
            "restarts",
            "`Application` ones are those of `status.backoffCount`, `Disruption` ones those of"
                + " `status.disruptionCount`; of a PyTorchJob, which has no such fields, those that"
                + " count against its `backoffLimit`, and those that do not",
            List.of(new Label("cause", "Application, Disruption"), Label.NAMESPACE),
            "Does the cluster disturb training?",
            "sum(increase(pytorchtrainingjob_restarts_total{cause=\"Disruption\"}[1h]))"));
    ALL.put(
        Metric.HANGS,
        new MetricNotes(
            Section.JOBS,
            "hangs",
            "Hangs that are only reported count, and those after which the job starts anew; only of jobs"
                + " with `runPolicy.progress`",
            List.of(Label.NAMESPACE, new Label("reason", "NoProgress, NotANumber")),
            "Do trainings hang?",
            "sum by (namespace) (increase(pytorchtrainingjob_hangs_total[1d]))"));
    ALL.put(
        Metric.PROGRESS_REPORTS,
        new MetricNotes(
            Section.OPERATOR,
            "reports",
            "`unauthenticated`: the token proves no pod; `foreign`: it proves a pod of another job",
            List.of(
                new Label(
                    "result",
                    "accepted, malformed, unauthenticated, foreign, not_found, not_wanted,"
                        + " too_large, too_many, unavailable")),
            "Does somebody send forged reports?",
            "sum by (result) (rate(pytorchtrainingjob_progress_reports_total[5m]))"));
    ALL.put(
        Metric.PODS_CREATED,
        new MetricNotes(
            Section.JOBS,
            "pods",
            "",
            List.of(),
            "How fast are pods created?",
            "sum(rate(pytorchtrainingjob_pods_created_total[5m]))"));
    ALL.put(
        Metric.PODS_DELETED,
        new MetricNotes(
            Section.JOBS,
            "pods",
            "",
            List.of(),
            "How fast are pods deleted?",
            "sum(rate(pytorchtrainingjob_pods_deleted_total[5m]))"));
    ALL.put(
        Metric.FIRST_POD,
        new MetricNotes(
            Section.JOBS,
            "seconds",
            "Only in its first attempt",
            List.of(),
            "How long do half of the jobs wait for their first pod?",
            "histogram_quantile(0.5, sum by (le) (rate(pytorchtrainingjob_first_pod_seconds_bucket[1h])))"));
    ALL.put(
        Metric.ALL_RUNNING,
        new MetricNotes(
            Section.JOBS,
            "seconds",
            "That is with all its pods, or with enough of them if it is elastic; only in its first"
                + " attempt",
            List.of(),
            "In which time do nine of ten jobs run?",
            "histogram_quantile(0.9,"
                + " sum by (le) (rate(pytorchtrainingjob_all_running_seconds_bucket[1h])))"));
    ALL.put(
        Metric.RECOVERY,
        new MetricNotes(
            Section.JOBS,
            "seconds",
            "The delay before it included. One during which the operator itself ends is not measured",
            List.of(),
            "How long does a restart take at most, nine times of ten?",
            "histogram_quantile(0.9, sum by (le) (rate(pytorchtrainingjob_recovery_seconds_bucket[1d])))"));
    ALL.put(
        Metric.DURATION,
        new MetricNotes(
            Section.JOBS,
            "seconds",
            "That is from `status.startTime`, which a resume sets anew, to `status.completionTime`; not"
                + " of jobs that never had pods",
            List.of(Label.RESULT),
            "How many hours did the jobs take that ended in the last day?",
            "sum(increase(pytorchtrainingjob_duration_seconds_sum[1d])) / 3600"));
    ALL.put(
        Metric.UNREADABLE,
        new MetricNotes(
            Section.JOBS,
            "looks",
            "[Why there are such jobs](../decisions.md); the log names them",
            List.of(Label.NAMESPACE),
            "Where are jobs that cannot be read?",
            "sum by (namespace) (increase(pytorchtrainingjob_unreadable_total[1h])) > 0"));
    ALL.put(
        Metric.ADMISSION_REQUESTS,
        new MetricNotes(
            Section.ADMISSION,
            "answers",
            "",
            List.of(
                new Label("allowed", "true, false"),
                new Label("operation", "create, update"),
                Label.WEBHOOK),
            "How many requests were refused in the last hour?",
            "sum(increase(pytorchtrainingjob_admission_requests_total{allowed=\"false\"}[1h]))"));
    ALL.put(
        Metric.ADMISSION_REJECTIONS,
        new MetricNotes(
            Section.ADMISSION,
            "refusals",
            "One that breaks two rules counts for both",
            List.of(
                new Label(
                    "rule",
                    "the rules for [PyTorchTrainingJobs](admission.md) and"
                        + " [PyTorchJobs](admission-pytorchjob.md), pod-dry-run, unreadable, review")),
            "What do users get wrong?",
            "topk(5, sum by (rule) (increase(pytorchtrainingjob_admission_rejections_total[7d])))"));
    ALL.put(
        Metric.ADMISSION_DURATION,
        new MetricNotes(
            Section.ADMISSION,
            "seconds",
            "",
            List.of(Label.WEBHOOK),
            "How slow is the slowest answer in a hundred?",
            "histogram_quantile(0.99,"
                + " sum by (le, webhook) (rate(pytorchtrainingjob_admission_duration_seconds_bucket[5m])))"));
    ALL.put(
        Metric.CERTIFICATE_EXPIRY,
        new MetricNotes(
            Section.ADMISSION,
            "seconds since 1970",
            "[Which certificate](../operations/webhooks.md#what-to-watch)",
            List.of(),
            "For how many days is the certificate valid?",
            "(min(pytorchtrainingjob_webhook_certificate_expiry_timestamp_seconds) - time()) / 86400"));
    ALL.put(
        Metric.LEADER,
        new MetricNotes(
            Section.OPERATOR,
            "1 or 0",
            "[High availability](../operations/high-availability.md)",
            List.of(),
            "Does nobody work on jobs?",
            "sum(pytorchtrainingjob_operator_leader) < 1"));
    ALL.put(
        Metric.KIND_WAITS,
        new MetricNotes(
            Section.OPERATOR,
            "1 or 0",
            "An event of the operator's pod says why",
            List.of(Label.KIND),
            "Which kind is not worked on?",
            "max by (kind) (pytorchtrainingjob_operator_kind_waits)"));
    ALL.put(
        Metric.INFORMERS_NOT_SYNCED,
        new MetricNotes(
            Section.OPERATOR,
            "informers",
            "0 while the kind is not worked on. Each watched namespace has informers of its own",
            List.of(Label.KIND),
            "Does the operator see all that happens?",
            "max by (kind) (pytorchtrainingjob_operator_informers_not_synced)"));
    ALL.put(
        Metric.API_REQUESTS,
        new MetricNotes(
            Section.OPERATOR,
            "requests",
            "`WATCH` is counted when a watch is opened, so also each time one is opened again",
            List.of(new Label("method", "GET, POST, PUT, PATCH, DELETE, WATCH")),
            "How often do watches reconnect?",
            "sum by (pod) (rate(pytorchtrainingjob_operator_api_requests_total{method=\"WATCH\"}[10m]))"));
    ALL.put(
        Metric.API_RESPONSES,
        new MetricNotes(
            Section.OPERATOR,
            "answers",
            "The difference to the requests is unanswered or pending",
            List.of(
                new Label("code", "the HTTP status; 101 for a watch over a WebSocket"),
                new Label("method", "GET, POST, PUT, PATCH, DELETE, WATCH")),
            "How does the API server answer?",
            "sum by (code) (rate(pytorchtrainingjob_operator_api_responses_total[5m]))"));
    ALL.put(
        Metric.API_REQUEST,
        new MetricNotes(
            Section.OPERATOR,
            "seconds",
            "Without watches",
            List.of(new Label("method", "GET, POST, PUT, PATCH, DELETE")),
            "How fast does the API server answer 99 of 100 requests?",
            "histogram_quantile(0.99,"
                + " sum by (le, method) (rate(pytorchtrainingjob_operator_api_request_seconds_bucket[5m])))"));
    ALL.replaceAll(
        (metric, notes) ->
            metric == Metric.CERTIFICATE_EXPIRY || notes.section() == Section.OPERATOR
                ? notes
                : notes.byKind());
  }

  /**
   * The notes on a metric.
   *
   * @param metric any metric of the operator
   * @return its notes
   * @throws IllegalArgumentException when there are none: write them here
   */
  public static MetricNotes of(Metric metric) {
    MetricNotes notes = ALL.get(metric);
    if (notes == null) {
      throw new IllegalArgumentException("MetricNotes says nothing about " + metric);
    }
    return notes;
  }

  /** The same notes on a metric of which each kind of jobs has series of its own. */
  private MetricNotes byKind() {
    List<Label> all = new ArrayList<>(labels);
    all.add(Label.KIND);
    all.sort(Comparator.comparing(Label::name));
    return new MetricNotes(section, unit, note, List.copyOf(all), question, query);
  }
}
