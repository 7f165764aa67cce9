package dev.tensorstack.training.tls.registration;

import java.time.Duration;

/**
 * When things are looked at and changed.
 *
 * @param checkInterval certificate and registration are looked at in this interval
 * @param trustDelay how long a new authority stands in the configurations before a certificate that
 *     it signed is served
 */
public record WebhookTiming(Duration checkInterval, Duration trustDelay) {

  /**
   * Checks both.
   *
   * @throws IllegalArgumentException when the interval is not positive, or the delay negative
   */
  public WebhookTiming {
    if (checkInterval.isNegative() || checkInterval.isZero() || trustDelay.isNegative()) {
      throw new IllegalArgumentException(
          "operator.webhooks.check-interval ("
              + checkInterval
              + ") has to be positive, operator.webhooks.trust-delay ("
              + trustDelay
              + ") not negative");
    }
  }
}
