package dev.tensorstack.training.tls.registration;

import dev.tensorstack.training.tls.certificate.TrustBundle;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Remembers since when all webhook configurations have trusted an authority. */
final class TrustHistory {

  private final Duration delay;
  private final Map<X509Certificate, Instant> since = new HashMap<>();
  private boolean nobodyCalls = true;

  /**
   * A history.
   *
   * @param delay how long API servers may take to follow a configuration
   */
  TrustHistory(Duration delay) {
    this.delay = delay;
  }

  /**
   * What is registered now.
   *
   * @param bundles the bundle of each webhook; empty when there are no webhooks
   * @param now the present time
   */
  void observe(List<TrustBundle> bundles, Instant now) {
    nobodyCalls = bundles.isEmpty();
    Set<X509Certificate> everywhere = new HashSet<>();
    for (TrustBundle bundle : bundles) {
      everywhere.addAll(bundle.certificates());
    }
    for (TrustBundle bundle : bundles) {
      everywhere.retainAll(bundle.certificates());
    }
    since.keySet().retainAll(everywhere);
    everywhere.forEach(certificate -> since.putIfAbsent(certificate, now));
  }

  /**
   * Whether API servers trust an authority by now.
   *
   * @param authority its certificate
   * @param now the present time
   * @return true as well when no API server calls the webhooks at all
   */
  boolean isTrusted(X509Certificate authority, Instant now) {
    Instant begin = since.get(authority);
    return nobodyCalls || (begin != null && !now.isBefore(begin.plus(delay)));
  }
}
