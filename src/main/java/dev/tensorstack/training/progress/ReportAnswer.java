package dev.tensorstack.training.progress;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a report.
 *
 * @param result what is counted
 * @param message a sentence for who has sent it
 * @param retryAfter after how many seconds to come again; null when that would be of no use
 */
record ReportAnswer(Result result, String message, @Nullable Integer retryAfter) {

  /** An answer after which nobody need come again. */
  ReportAnswer(Result result, String message) {
    this(result, message, null);
  }

  /** The kinds of answers. */
  enum Result {
    ACCEPTED(200, "Success"),
    MALFORMED(400, "BadRequest"),
    UNAUTHENTICATED(401, "Unauthorized"),
    FOREIGN(403, "Forbidden"),
    NOT_FOUND(404, "NotFound"),
    NOT_WANTED(409, "Conflict"),
    TOO_LARGE(413, "RequestEntityTooLarge"),
    TOO_MANY(429, "TooManyRequests"),
    UNAVAILABLE(503, "ServiceUnavailable");

    private final int code;
    private final String reason;

    Result(int code, String reason) {
      this.code = code;
      this.reason = reason;
    }

    /** The status code of HTTP. */
    int code() {
      return code;
    }

    /** The reason, as the API server would call it. */
    String reason() {
      return reason;
    }

    /** The value of the metric's label. */
    String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }
}
