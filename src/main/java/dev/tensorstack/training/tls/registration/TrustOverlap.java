package dev.tensorstack.training.tls.registration;

import dev.tensorstack.training.tls.certificate.TrustBundle;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/**
 * Says which authorities the webhook configurations have to trust while certificates change: the
 * new ones, and for a while those of the certificate that this replica or another one still serves.
 */
final class TrustOverlap {

  private final Duration overlap;
  private final Map<X509Certificate, Instant> neededAt = new HashMap<>();
  private final Map<X509Certificate, Instant> strangerSince = new HashMap<>();

  /**
   * An overlap.
   *
   * @param overlap how long replicas may take to follow a change
   */
  TrustOverlap(Duration overlap) {
    this.overlap = overlap;
  }

  /**
   * What has to be trusted.
   *
   * @param wanted the authorities of the certificate that shall be served
   * @param served those of the one that is served
   * @param now the present time
   * @return both, and what was needed a short while ago, as long as it is valid
   */
  TrustBundle required(TrustBundle wanted, TrustBundle served, Instant now) {
    wanted.plus(served.certificates()).certificates().forEach(one -> neededAt.put(one, now));
    neededAt.values().removeIf(last -> !now.isBefore(last.plus(overlap)));
    return wanted.plus(neededAt.keySet()).validAt(now);
  }

  /**
   * Whether a registered bundle can stay. One that trusts more stays for a while: another replica
   * may have seen a change first.
   *
   * @param registered what a configuration holds
   * @param required what it has to hold
   * @param now the present time
   * @return false when it has to be written
   */
  boolean accepts(TrustBundle registered, TrustBundle required, Instant now) {
    if (!registered.containsAll(required)) {
      return false;
    }
    TrustBundle strangers =
        registered.only(certificate -> !required.certificates().contains(certificate));
    strangerSince.values().removeIf(first -> !now.isBefore(first.plus(overlap.multipliedBy(2))));
    for (X509Certificate stranger : strangers.validAt(now).certificates()) {
      Instant first = strangerSince.computeIfAbsent(stranger, unused -> now);
      if (!now.isBefore(first.plus(overlap))) {
        return false;
      }
    }
    return strangers.equals(strangers.validAt(now));
  }
}
