package dev.tensorstack.training.tls.certificate;

import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;

/**
 * How long certificates that the operator makes live.
 *
 * @param serving the server's certificate
 * @param authority the certificate of its authority
 */
public record Validity(Duration serving, Duration authority) {

  /** Certificates begin a little in the past, for clocks that are behind. */
  static final Duration BACKDATE = Duration.ofMinutes(5);

  /**
   * Checks both.
   *
   * @throws IllegalArgumentException when one is not positive, or the authority's is the shorter
   */
  public Validity {
    if (serving.isNegative() || serving.isZero() || authority.compareTo(serving) < 0) {
      throw new IllegalArgumentException(
          "operator.webhooks.certificate-validity ("
              + serving
              + ") has to be positive, and operator.webhooks.ca-validity ("
              + authority
              + ") at least as long");
    }
  }

  /** Whether two thirds of a certificate's life are over. */
  static boolean isDue(X509Certificate certificate, Instant now) {
    Duration life = life(certificate);
    return !now.isBefore(begin(certificate).plus(life.multipliedBy(2).dividedBy(3)));
  }

  /** Whether nine tenths of a certificate's life are over. */
  static boolean isUrgent(X509Certificate certificate, Instant now) {
    Duration life = life(certificate);
    return !now.isBefore(begin(certificate).plus(life.multipliedBy(9).dividedBy(10)));
  }

  private static Instant begin(X509Certificate certificate) {
    return certificate.getNotBefore().toInstant().plus(BACKDATE);
  }

  private static Duration life(X509Certificate certificate) {
    return Duration.between(begin(certificate), certificate.getNotAfter().toInstant());
  }
}
