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

  /**
   * Metrics of the webhooks.
   *
   * @param rules the names of all rules of the kinds
   */
  AdmissionMetrics(MeterRegistry registry, List<String> rules) {
    this.registry = registry;
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
        .tag("rule", rule)
        .register(registry);
  }

  private Timer duration(String webhook) {
    return Timer.builder(Metric.ADMISSION_DURATION.meter())
        .description(Metric.ADMISSION_DURATION.description())
        .tag("webhook", webhook)
        .serviceLevelObjectives(BOUNDS)
        .register(registry);
  }
}
