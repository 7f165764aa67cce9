package dev.tensorstack.training.metrics;

import java.time.Duration;

/**
 * What the API server says of a token.
 *
 * @param access whether its user may read metrics
 * @param user the name of its user; empty when there is none
 */
record Verdict(Access access, String user) {

  /** Whether somebody may read metrics, and for how long that holds. */
  enum Access {
    /** A user who may. */
    ALLOWED(Duration.ofMinutes(1)),
    /** A user who may not. */
    FORBIDDEN(Duration.ofSeconds(10)),
    /** Nobody's token. */
    UNAUTHENTICATED(Duration.ofSeconds(10));

    private final Duration valid;

    Access(Duration valid) {
      this.valid = valid;
    }
  }

  /** The verdict about a token of nobody. */
  static final Verdict NOBODY = new Verdict(Access.UNAUTHENTICATED, "");

  /** Whether metrics may be read. */
  boolean isAllowed() {
    return access == Access.ALLOWED;
  }

  /** How long it holds. */
  Duration valid() {
    return access.valid;
  }
}
