package dev.tensorstack.training.metrics;

import dev.tensorstack.training.https.StatusBody;
import org.jspecify.annotations.Nullable;

/**
 * The answer to who asks for the metrics.
 *
 * @param code the status code of HTTP
 * @param contentType the format of the body
 * @param body the metrics, or a sentence about why there are none
 * @param retryAfter after how many seconds to come again; null when that would be of no use
 */
record MetricsAnswer(int code, String contentType, String body, @Nullable Integer retryAfter) {

  private static final String JSON = "application/json";

  /** Why there are no metrics. */
  enum Refusal {
    UNAUTHENTICATED(401, "Unauthorized"),
    FORBIDDEN(403, "Forbidden"),
    NOT_FOUND(404, "NotFound"),
    WRONG_METHOD(405, "MethodNotAllowed"),
    TOO_MANY(429, "TooManyRequests"),
    UNAVAILABLE(503, "ServiceUnavailable");

    private final int code;
    private final String reason;

    Refusal(int code, String reason) {
      this.code = code;
      this.reason = reason;
    }
  }

  /**
   * The metrics.
   *
   * @param format the format of the text
   * @param text all of them
   */
  static MetricsAnswer of(String format, String text) {
    return new MetricsAnswer(200, format, text, null);
  }

  /**
   * No metrics, and to come again is of no use.
   *
   * @param refusal why
   * @param message a sentence for who has asked, with the remedy
   */
  static MetricsAnswer refused(Refusal refusal, String message) {
    return refused(refusal, message, null);
  }

  /**
   * No metrics.
   *
   * @param refusal why
   * @param message a sentence for who has asked, with the remedy
   * @param retryAfter after how many seconds to come again
   */
  static MetricsAnswer refused(Refusal refusal, String message, @Nullable Integer retryAfter) {
    return new MetricsAnswer(
        refusal.code,
        JSON,
        new StatusBody(false, refusal.code, refusal.reason, message).json(),
        retryAfter);
  }
}
