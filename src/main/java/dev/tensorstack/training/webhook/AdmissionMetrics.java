package dev.tensorstack.training.webhook;

import dev.tensorstack.training.core.naming.Metric;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * Counts and times the answers of the webhooks (docs/reference/metrics.md). All series are there
 * from the start, with 0.
 */
final class AdmissionMetrics {

  /** The names of the webhooks. */
  static final String MUTATE = "mutate";

  static final String VALIDATE = "validate";

  private static final List<AdmissionCall.Operation> ASKED_ABOUT =
      List.of(AdmissionCall.Operation.CREATE, AdmissionCall.Operation.UPDATE);

  /** From a call without I/O to the longest time that the API server waits. */
  private static final Duration[] BOUNDS =
      Stream.of(1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000)
          .map(Duration::ofMillis)
          .toArray(Duration[]::new);

  private final MeterRegistry registry;
  private final String kind;

  /**
   * Metrics of the webhooks of one kind of jobs.
   *
   * @param kind the kind's name, for the label of all series
   * @param rules the names of all its rules
   */
  AdmissionMetrics(MeterRegistry registry, String kind, List<String> rules) {
    this.registry = registry;
    this.kind = kind;
    for (String webhook : List.of(MUTATE, VALIDATE)) {
      duration(webhook);
      for (AdmissionCall.Operation operation : ASKED_ABOUT) {
        requests(webhook, operation, true);
        requests(webhook, operation, false);
      }
    }
    Stream.concat(
            rules.stream(),
            Stream.of(PodAnswer.RULE, ValidatingAdmission.UNREADABLE, ReviewConsistency.RULE))
        .forEach(this::rejections);
  }

  /** Counts one answer. */
  void answered(String webhook, AdmissionCall call, Decision decision, Duration took) {
    requests(webhook, call.operation(), decision.allowed()).increment();
    decision.refusingRules().forEach(rule -> rejections(rule).increment());
    duration(webhook).record(took);
  }

  private Counter requests(String webhook, AdmissionCall.Operation operation, boolean allowed) {
    return Counter.builder(Metric.ADMISSION_REQUESTS.meter())
        .description(Metric.ADMISSION_REQUESTS.description())
        .tags(
            Metric.KIND_LABEL,
            kind,
            "webhook",
            webhook,
            "operation",
            operation.name().toLowerCase(Locale.ROOT),
            "allowed",
            Boolean.toString(allowed))
        .register(registry);
  }

  private Counter rejections(String rule) {
    return Counter.builder(Metric.ADMISSION_REJECTIONS.meter())
        .description(Metric.ADMISSION_REJECTIONS.description())
        .tags(Metric.KIND_LABEL, kind, "rule", rule)
        .register(registry);
  }

  private Timer duration(String webhook) {
    return Timer.builder(Metric.ADMISSION_DURATION.meter())
        .description(Metric.ADMISSION_DURATION.description())
        .tags(Metric.KIND_LABEL, kind, "webhook", webhook)
        .serviceLevelObjectives(BOUNDS)
        .register(registry);
  }
}
