package dev.tensorstack.training.tls.registration;

import dev.tensorstack.training.tls.certificate.BadCertificateException;
import dev.tensorstack.training.tls.certificate.CertificateMaterial;
import dev.tensorstack.training.tls.certificate.CertificateSource;
import dev.tensorstack.training.tls.certificate.ServedCertificate;
import dev.tensorstack.training.tls.certificate.TrustBundle;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;

/**
 * Keeps certificate and registration together, one look at a time: whatever the API server may ask
 * the server to prove, it can.
 */
final class WebhookKeeper {

  /** Files of a mounted Secret reach all nodes within a minute or two. */
  private static final Duration OVERLAP = Duration.ofMinutes(10);

  private final CertificateSource source;
  private final Registration registration;
  private final ServedCertificate served;
  private final Clock clock;
  private final TrustHistory history;
  private final TrustOverlap overlap = new TrustOverlap(OVERLAP);

  /**
   * A keeper.
   *
   * @param source the certificate
   * @param registration the API server's side
   * @param served what is served
   * @param trustDelay how long API servers may take to follow a configuration
   * @param clock the time
   */
  WebhookKeeper(
      CertificateSource source,
      Registration registration,
      ServedCertificate served,
      Duration trustDelay,
      Clock clock) {
    this.source = source;
    this.registration = registration;
    this.served = served;
    this.clock = clock;
    this.history = new TrustHistory(trustDelay);
  }

  /**
   * Looks once, and does what is due.
   *
   * @return what was done about the registration
   * @throws BadCertificateException when there is no certificate that can be served
   * @throws io.fabric8.kubernetes.client.KubernetesClientException when the API server is away or
   *     refuses
   */
  Registration.Outcome look() throws BadCertificateException {
    // The configurations are read before the certificate: what another replica has written to them
    // is then known from the certificate, and is not taken back.
    Registration.State state = registration.read(source.knowsAuthorities());
    Instant now = clock.instant();
    history.observe(state.bundles(), now);
    CertificateMaterial wanted = source.read(authority -> history.isTrusted(authority, now));
    TrustBundle required =
        wanted.trust().isEmpty()
            ? TrustBundle.EMPTY
            : overlap.required(wanted.trust(), trustServed(), now);
    Registration.Outcome outcome =
        registration.write(
            state, required, registered -> overlap.accepts(registered, required, now));
    if (!wanted.serving().equals(served.material().serving()) && mayServe(wanted, now)) {
      served.serve(wanted);
    }
    return outcome;
  }

  private TrustBundle trustServed() {
    return served.isTemporary() ? TrustBundle.EMPTY : served.material().trust();
  }

  /** A certificate that works is kept until API servers would trust the next one. */
  private boolean mayServe(CertificateMaterial wanted, Instant now) {
    return served.isTemporary()
        || served.material().serving().isExpired(now)
        || wanted.trust().isEmpty()
        || wanted.isTrusted(authority -> history.isTrusted(authority, now));
  }
}
