package dev.tensorstack.training.core.naming;

import java.util.List;

/**
 * The operator's own metrics: their names, and what is said about them to Prometheus and in
 * docs/reference/metrics.md, which is made from here.
 *
 * <p>No label names a job, a pod or a uid: the number of series depends on that of namespaces only.
 */
public enum Metric {
  /** Jobs by phase. */
  JOBS(
      Section.JOBS,
      Kind.GAUGE,
      "jobs",
      "jobs",
      "Jobs in each phase",
      "[Phases](../concepts.md#phase-reason-conditions)",
      List.of(
          Label.NAMESPACE,
          new Label("phase", "Pending, Running, Paused, Resuming, Succeeded, Failed, Unknown")),
      "Which jobs wait?",
      "sum by (namespace) (pytorchtrainingjob_jobs{phase=\"Pending\"})"),

  /** Replicas by state. */
  REPLICAS(
      Section.JOBS,
      Kind.GAUGE,
      "replicas",
      "replicas",
      "Replicas of all jobs in each state",
      "As `status.aggregate` counts them",
      List.of(
          Label.NAMESPACE,
          new Label("state", "creating, pending, running, succeeded, failed, unknown, deleted")),
      "How many pods train?",
      "sum(pytorchtrainingjob_replicas{state=\"running\"})"),

  /** New jobs. */
  CREATED(
      Section.JOBS,
      Kind.COUNTER,
      "created",
      "jobs",
      "Jobs that were seen for the first time",
      "",
      List.of(Label.NAMESPACE),
      "How many jobs came in the last day?",
      "sum(increase(pytorchtrainingjob_created_total[1d]))"),

  /** Jobs that ended. */
  FINISHED(
      Section.JOBS,
      Kind.COUNTER,
      "finished",
      "jobs",
      "Jobs that ended",
      "`reason` is that of the condition that ended the job",
      List.of(
          Label.NAMESPACE,
          new Label(
              "reason",
              "Succeeded, ReplicaFailed, BackoffLimitExceeded, DeadlineExceeded, InvalidSpec"),
          Label.RESULT),
      "Which share of jobs fails?",
      "sum(rate(pytorchtrainingjob_finished_total{result=\"failed\"}[1h]))"
          + " / sum(rate(pytorchtrainingjob_finished_total[1h]))"),

  /** Restarts. */
  RESTARTS(
      Section.JOBS,
      Kind.COUNTER,
      "restarts",
      "restarts",
      "Restarts that were decided on",
      "`Application` ones are those of `status.backoffCount`, `Disruption` ones those of"
          + " `status.disruptionCount`",
      List.of(new Label("cause", "Application, Disruption"), Label.NAMESPACE),
      "Does the cluster disturb training?",
      "sum(increase(pytorchtrainingjob_restarts_total{cause=\"Disruption\"}[1h]))"),

  /** Pods that were created. */
  PODS_CREATED(
      Section.JOBS,
      Kind.COUNTER,
      "pods_created",
      "pods",
      "Pods that the API server created for the operator",
      "",
      List.of(),
      "How fast are pods created?",
      "sum(rate(pytorchtrainingjob_pods_created_total[5m]))"),

  /** Pods that were deleted. */
  PODS_DELETED(
      Section.JOBS,
      Kind.COUNTER,
      "pods_deleted",
      "pods",
      "Deletions of pods that the API server accepted from the operator",
      "",
      List.of(),
      "How fast are pods deleted?",
      "sum(rate(pytorchtrainingjob_pods_deleted_total[5m]))"),

  /** Time until the first pod. */
  FIRST_POD(
      Section.JOBS,
      Kind.HISTOGRAM,
      "first_pod",
      "seconds",
      "From a job's creation until its first pod runs",
      "Only in its first attempt",
      List.of(),
      "How long do half of the jobs wait for their first pod?",
      "histogram_quantile(0.5, sum by (le) (rate(pytorchtrainingjob_first_pod_seconds_bucket[1h])))"),

  /** Time until all pods. */
  ALL_RUNNING(
      Section.JOBS,
      Kind.HISTOGRAM,
      "all_running",
      "seconds",
      "From a job's creation until it is Running",
      "That is with all its pods, or with enough of them if it is elastic; only in its first"
          + " attempt",
      List.of(),
      "In which time do nine of ten jobs run?",
      "histogram_quantile(0.9,"
          + " sum by (le) (rate(pytorchtrainingjob_all_running_seconds_bucket[1h])))"),

  /** Time of a restart. */
  RECOVERY(
      Section.JOBS,
      Kind.HISTOGRAM,
      "recovery",
      "seconds",
      "From a failure that was answered with a restart until all wanted pods run again",
      "The delay before it included. One during which the operator itself ends is not measured",
      List.of(),
      "How long does a restart take at most, nine times of ten?",
      "histogram_quantile(0.9, sum by (le) (rate(pytorchtrainingjob_recovery_seconds_bucket[1d])))"),

  /** Time that jobs take. */
  DURATION(
      Section.JOBS,
      Kind.HISTOGRAM,
      "duration",
      "seconds",
      "From a job's start until its end",
      "That is from `status.startTime`, which a resume sets anew, to `status.completionTime`; not"
          + " of jobs that never had pods",
      List.of(Label.RESULT),
      "How many hours did the jobs take that ended in the last day?",
      "sum(increase(pytorchtrainingjob_duration_seconds_sum[1d])) / 3600"),

  /** Jobs that are not understood. */
  UNREADABLE(
      Section.JOBS,
      Kind.COUNTER,
      "unreadable",
      "looks",
      "Looks at jobs that the operator cannot read",
      "[Why there are such jobs](../decisions.md); the log names them",
      List.of(Label.NAMESPACE),
      "Where are jobs that cannot be read?",
      "sum by (namespace) (increase(pytorchtrainingjob_unreadable_total[1h])) > 0"),

  /** Answers of the webhooks. */
  ADMISSION_REQUESTS(
      Section.ADMISSION,
      Kind.COUNTER,
      "admission_requests",
      "answers",
      "Answers of the webhooks",
      "",
      List.of(
          new Label("allowed", "true, false"),
          new Label("operation", "create, update"),
          Label.WEBHOOK),
      "How many requests were refused in the last hour?",
      "sum(increase(pytorchtrainingjob_admission_requests_total{allowed=\"false\"}[1h]))"),

  /** Refusals by rule. */
  ADMISSION_REJECTIONS(
      Section.ADMISSION,
      Kind.COUNTER,
      "admission_rejections",
      "refusals",
      "Refusals, by each rule that refused",
      "One that breaks two rules counts for both",
      List.of(new Label("rule", "the [rules](admission.md), pod-dry-run, unreadable, review")),
      "What do users get wrong?",
      "topk(5, sum by (rule) (increase(pytorchtrainingjob_admission_rejections_total[7d])))"),

  /** Time of an answer. */
  ADMISSION_DURATION(
      Section.ADMISSION,
      Kind.HISTOGRAM,
      "admission_duration",
      "seconds",
      "From the last byte of a webhook's question to its answer",
      "",
      List.of(Label.WEBHOOK),
      "How slow is the slowest answer in a hundred?",
      "histogram_quantile(0.99,"
          + " sum by (le, webhook) (rate(pytorchtrainingjob_admission_duration_seconds_bucket[5m])))"),

  /** End of the certificate. */
  CERTIFICATE_EXPIRY(
      Section.ADMISSION,
      Kind.GAUGE,
      "webhook_certificate_expiry_timestamp_seconds",
      "seconds since 1970",
      "The time at which the certificate that the webhooks serve expires",
      "[Which certificate](../operations/webhooks.md#what-to-watch)",
      List.of(),
      "For how many days is the certificate valid?",
      "(min(pytorchtrainingjob_webhook_certificate_expiry_timestamp_seconds) - time()) / 86400"),

  /** Who works. */
  LEADER(
      Section.OPERATOR,
      Kind.GAUGE,
      "operator_leader",
      "1 or 0",
      "1 on the replica of the operator that works on jobs, 0 on the others",
      "[High availability](../operations/high-availability.md)",
      List.of(),
      "Does nobody work on jobs?",
      "sum(pytorchtrainingjob_operator_leader) < 1");

  /** What all of them begin with. */
  public static final String PREFIX = "pytorchtrainingjob_";

  private final Section section;
  private final Kind kind;
  private final String stem;
  private final String unit;
  private final String description;
  private final String note;
  private final List<Label> labels;
  private final String question;
  private final String query;

  Metric(
      Section section,
      Kind kind,
      String stem,
      String unit,
      String description,
      String note,
      List<Label> labels,
      String question,
      String query) {
    this.section = section;
    this.kind = kind;
    this.stem = stem;
    this.unit = unit;
    this.description = description;
    this.note = note;
    this.labels = labels;
    this.question = question;
    this.query = query;
  }

  /** What a metric is about. */
  public enum Section {
    /** Jobs and their pods. */
    JOBS,
    /** The webhooks. */
    ADMISSION,
    /** The operator itself. */
    OPERATOR
  }

  /** How a metric behaves. */
  public enum Kind {
    /** Goes up, and begins with 0 when the operator is started. */
    COUNTER("_total"),
    /** Is as it is now. */
    GAUGE(""),
    /** Counts times by their length. */
    HISTOGRAM("_seconds");

    private final String ending;

    Kind(String ending) {
      this.ending = ending;
    }
  }

  /**
   * A label of a metric.
   *
   * @param name its name
   * @param values what it can be, in words; Markdown
   */
  public record Label(String name, String values) {
    private static final Label NAMESPACE = new Label("namespace", "that of the jobs");
    private static final Label RESULT = new Label("result", "succeeded, failed");
    private static final Label WEBHOOK = new Label("webhook", "mutate, validate");
  }

  /**
   * The name as code registers it; the library adds the ending of its kind.
   *
   * @return for example {@code pytorchtrainingjob_created}
   */
  public String meter() {
    return PREFIX + stem;
  }

  /**
   * The name as queries write it; of a histogram without {@code _bucket}, {@code _sum} or {@code
   * _count}.
   *
   * @return for example {@code pytorchtrainingjob_created_total}
   */
  public String exposed() {
    return PREFIX + stem + kind.ending;
  }

  /**
   * What it is about.
   *
   * @return the part of the reference that has it
   */
  public Section section() {
    return section;
  }

  /**
   * How it behaves.
   *
   * @return its type for Prometheus
   */
  public Kind kind() {
    return kind;
  }

  /**
   * What it counts or measures in.
   *
   * @return for example seconds
   */
  public String unit() {
    return unit;
  }

  /**
   * What it means, as Prometheus is told.
   *
   * @return a sentence without the full stop
   */
  public String description() {
    return description;
  }

  /**
   * What else there is to know.
   *
   * @return Markdown without the full stop, as in a page of docs/reference; empty for nothing
   */
  public String note() {
    return note;
  }

  /**
   * Its labels.
   *
   * @return in the order of their names
   */
  public List<Label> labels() {
    return labels;
  }

  /**
   * A question that it answers.
   *
   * @return a sentence
   */
  public String question() {
    return question;
  }

  /**
   * How to ask it.
   *
   * @return PromQL
   */
  public String query() {
    return query;
  }
}
