package dev.tensorstack.training.metrics;

import org.jspecify.annotations.Nullable;

/**
 * Somebody asks for the metrics.
 *
 * @param token the bearer token; null when there is none
 * @param accept the header {@code Accept}; null when there is none
 * @param sender the IP address of who asks
 */
record MetricsRequest(@Nullable String token, @Nullable String accept, String sender) {

  /** Never shows the token. */
  @Override
  public String toString() {
    return "request of " + sender;
  }
}
