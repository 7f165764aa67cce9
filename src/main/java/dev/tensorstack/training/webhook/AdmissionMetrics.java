package dev.tensorstack.training.webhook;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Locale;

/** Counts and times the answers of the webhooks (docs/settings.md, Metrics). */
final class AdmissionMetrics {

  private final MeterRegistry registry;

  AdmissionMetrics(MeterRegistry registry) {
    this.registry = registry;
  }

  /** Counts one answer. */
  void answered(String webhook, AdmissionCall call, Decision decision, Duration took) {
    registry
        .counter(
            "pytorchtrainingjob_admission_requests",
            "webhook",
            webhook,
            "operation",
            call.operation().name().toLowerCase(Locale.ROOT),
            "allowed",
            Boolean.toString(decision.allowed()))
        .increment();
    decision
        .refusingRules()
        .forEach(
            rule ->
                registry
                    .counter("pytorchtrainingjob_admission_rejections", "rule", rule)
                    .increment());
    Timer.builder("pytorchtrainingjob_admission_duration")
        .tag("webhook", webhook)
        .publishPercentileHistogram()
        .register(registry)
        .record(took);
  }
}
