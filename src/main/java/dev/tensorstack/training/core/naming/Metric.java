package dev.tensorstack.training.core.naming;

/**
 * The operator's own metrics: their names, and what Prometheus is told about them. What else
 * docs/reference/metrics.md says stands in {@code MetricNotes}, with the tools.
 *
 * <p>No label names a job, a pod or a uid: the number of series depends on that of namespaces only.
 */
public enum Metric {
  /** Jobs by phase. */
  JOBS(Kind.GAUGE, "jobs", "Jobs in each phase"),

  /** Replicas by state. */
  REPLICAS(Kind.GAUGE, "replicas", "Replicas of all jobs in each state"),

  /** New jobs. */
  CREATED(Kind.COUNTER, "created", "Jobs that were seen for the first time"),

  /** Jobs that ended. */
  FINISHED(Kind.COUNTER, "finished", "Jobs that ended"),

  /** Restarts. */
  RESTARTS(Kind.COUNTER, "restarts", "Restarts that were decided on"),

  /** Trainings that hang. */
  HANGS(Kind.COUNTER, "hangs", "Trainings that were found to make no progress, or no numbers"),

  /** Reports of trainings. */
  PROGRESS_REPORTS(
      Kind.COUNTER, "progress_reports", "Reports of progress that were received, by the answer"),

  /** Pods that were created. */
  PODS_CREATED(Kind.COUNTER, "pods_created", "Pods that the API server created for the operator"),

  /** Pods that were deleted. */
  PODS_DELETED(
      Kind.COUNTER,
      "pods_deleted",
      "Deletions of pods that the API server accepted from the operator"),

  /** Time until the first pod. */
  FIRST_POD(Kind.HISTOGRAM, "first_pod", "From a job's creation until its first pod runs"),

  /** Time until all pods. */
  ALL_RUNNING(Kind.HISTOGRAM, "all_running", "From a job's creation until it is Running"),

  /** Time of a restart. */
  RECOVERY(
      Kind.HISTOGRAM,
      "recovery",
      "From a failure that was answered with a restart until all wanted pods run again"),

  /** Time that jobs take. */
  DURATION(Kind.HISTOGRAM, "duration", "From a job's start until its end"),

  /** Jobs that are not understood. */
  UNREADABLE(Kind.COUNTER, "unreadable", "Looks at jobs that the operator cannot read"),

  /** Answers of the webhooks. */
  ADMISSION_REQUESTS(Kind.COUNTER, "admission_requests", "Answers of the webhooks"),

  /** Refusals by rule. */
  ADMISSION_REJECTIONS(Kind.COUNTER, "admission_rejections", "Refusals, by each rule that refused"),

  /** Time of an answer. */
  ADMISSION_DURATION(
      Kind.HISTOGRAM,
      "admission_duration",
      "From the last byte of a webhook's question to its answer"),

  /** End of the certificate. */
  CERTIFICATE_EXPIRY(
      Kind.GAUGE,
      "webhook_certificate_expiry_timestamp_seconds",
      "The time at which the certificate that the webhooks serve expires"),

  /** Who works. */
  LEADER(
      Kind.GAUGE,
      "operator_leader",
      "1 on the replica of the operator that works on jobs, 0 on the others"),

  /** Kinds that nobody works on. */
  KIND_WAITS(
      Kind.GAUGE,
      "operator_kind_waits",
      "1 on the leader while the jobs of the kind are not worked on: its CRD is missing, or is not"
          + " this operator's, or another operator works on them"),

  /** Informers without a cache. */
  INFORMERS_NOT_SYNCED(
      Kind.GAUGE,
      "operator_informers_not_synced",
      "Informers of a kind's controller that have not listed their objects yet, or do not watch them"),

  /** Requests to the API server. */
  API_REQUESTS(Kind.COUNTER, "operator_api_requests", "Requests that were sent to the API server"),

  /** Answers of the API server. */
  API_RESPONSES(Kind.COUNTER, "operator_api_responses", "Answers of the API server"),

  /** Time of a request. */
  API_REQUEST(
      Kind.HISTOGRAM,
      "operator_api_request",
      "From a request to the API server until its answer begins");

  /** What all of them begin with. */
  public static final String PREFIX = "pytorchtrainingjob_";

  /** The label that says of which kind of jobs a series tells. */
  public static final String KIND_LABEL = "kind";

  private final Kind kind;
  private final String stem;
  private final String description;

  Metric(Kind kind, String stem, String description) {
    this.kind = kind;
    this.stem = stem;
    this.description = description;
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
   * How it behaves.
   *
   * @return its type for Prometheus
   */
  public Kind kind() {
    return kind;
  }

  /**
   * What it means, as Prometheus is told.
   *
   * @return a sentence without the full stop
   */
  public String description() {
    return description;
  }
}
