package dev.tensorstack.training.tls.certificate;

import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Says when certificates of the operator's own making are renewed: after two thirds of their life.
 *
 * <p>An authority is changed in two steps, so that no client ever meets a certificate that it
 * cannot verify. First the new authority stands beside the old one in the bundle; only when clients
 * trust it does it sign. The old one stays in the bundle until the end of its life: nothing that it
 * signed lives longer.
 */
final class RenewalPolicy {

  private final CertificateIssuer issuer;
  private final SubjectNames names;

  /**
   * A policy.
   *
   * @param validity how long new certificates live
   * @param names what the server is called
   */
  RenewalPolicy(Validity validity, SubjectNames names) {
    this.issuer = new CertificateIssuer(validity);
    this.names = names;
  }

  /**
   * A change to make.
   *
   * @param certificates what shall be there
   * @param reason why, for the log
   */
  record Renewal(SelfSigned certificates, String reason) {}

  /** What to begin with. */
  SelfSigned fresh(Instant now) {
    CertificateAuthority authority = issuer.authority(now);
    return new SelfSigned(
        authority,
        issuer.serving(authority, names, now),
        new TrustBundle(List.of(authority.certificate())));
  }

  /**
   * The next change, if one is due.
   *
   * @param present what is there
   * @param trusted whether clients trust an authority by now
   * @param now the present time
   * @return the change; the policy may have another one afterwards
   */
  Optional<Renewal> next(SelfSigned present, Predicate<X509Certificate> trusted, Instant now) {
    if (isOver(present.authority().certificate(), now)) {
      return Optional.of(new Renewal(fresh(now), "the authority's certificate has expired"));
    }
    if (!present.isSettled()) {
      return overlapping(present, trusted, now);
    }
    if (Validity.isDue(present.authority().certificate(), now)) {
      return Optional.of(new Renewal(withNewAuthority(present, now), "a new authority is due"));
    }
    if (Validity.isDue(present.serving().certificate(), now)) {
      return Optional.of(new Renewal(withNewServing(present, now), "a new certificate is due"));
    }
    if (!SubjectNames.of(present.serving().certificate()).containsAll(names)) {
      return Optional.of(
          new Renewal(
              withNewServing(present, now),
              "the certificate lacks one of " + names.dns() + " " + names.addresses()));
    }
    TrustBundle valid = present.trust().validAt(now);
    return valid.equals(present.trust())
        ? Optional.empty()
        : Optional.of(
            new Renewal(
                new SelfSigned(present.authority(), present.serving(), valid),
                "an old authority has expired"));
  }

  /** The new authority is in the bundle, the old one's certificate still in use. */
  private Optional<Renewal> overlapping(
      SelfSigned present, Predicate<X509Certificate> trusted, Instant now) {
    if (trusted.test(present.authority().certificate())) {
      return Optional.of(
          new Renewal(withNewServing(present, now), "clients trust the new authority"));
    }
    if (Validity.isUrgent(present.serving().certificate(), now)) {
      return Optional.of(
          new Renewal(
              withNewServing(present, now),
              "the old certificate ends soon, although clients may not trust the new authority"));
    }
    return Optional.empty();
  }

  private SelfSigned withNewAuthority(SelfSigned present, Instant now) {
    CertificateAuthority authority = issuer.authority(now);
    return new SelfSigned(
        authority,
        present.serving(),
        new TrustBundle(List.of(authority.certificate()))
            .plus(present.trust().validAt(now).certificates()));
  }

  /** Names that the certificate already has stay: another operator may need them. */
  private SelfSigned withNewServing(SelfSigned present, Instant now) {
    SubjectNames all = names.plus(SubjectNames.of(present.serving().certificate()));
    return new SelfSigned(
        present.authority(),
        issuer.serving(present.authority(), all, now),
        present.trust().validAt(now));
  }

  private static boolean isOver(X509Certificate certificate, Instant now) {
    return !now.isBefore(certificate.getNotAfter().toInstant());
  }
}
