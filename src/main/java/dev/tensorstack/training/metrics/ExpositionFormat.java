package dev.tensorstack.training.metrics;

import org.jspecify.annotations.Nullable;

/** The format of the metrics: the same for the same request as on the port without TLS. */
final class ExpositionFormat {

  /** What Prometheus asks for, beside others. */
  static final String TEXT = "text/plain; version=0.0.4; charset=utf-8";

  /** What everybody gets who does not take text. */
  static final String OPEN_METRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8";

  private ExpositionFormat() {}

  /**
   * Chooses the format.
   *
   * @param accept the header {@code Accept}; null when there is none
   * @return the content type of the answer
   */
  static String of(@Nullable String accept) {
    return accept != null && (accept.contains("text/plain") || accept.contains("text/html"))
        ? TEXT
        : OPEN_METRICS;
  }
}
