package dev.tensorstack.training.tls.certificate;

import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Base64;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The authorities with which the API server verifies the webhooks' certificate: a {@code caBundle}.
 *
 * @param certificates without repetition, the newest first
 */
public record TrustBundle(List<X509Certificate> certificates) {

  /** Trusts nobody: the bundle is somebody else's business, or there is none. */
  public static final TrustBundle EMPTY = new TrustBundle(List.of());

  /** Drops repetitions. */
  public TrustBundle {
    certificates = List.copyOf(new LinkedHashSet<>(certificates));
  }

  /**
   * Reads a bundle as it stands in a webhook configuration.
   *
   * @param base64 PEM in base64; empty when there is none
   * @return the bundle; {@link #EMPTY} when there is none, or nothing that can be read
   */
  public static TrustBundle ofCaBundle(String base64) {
    try {
      byte[] pem = Base64.getDecoder().decode(base64);
      return new TrustBundle(
          Pem.certificates("caBundle", new String(pem, StandardCharsets.US_ASCII)));
    } catch (BadCertificateException | IllegalArgumentException notOurs) {
      return EMPTY;
    }
  }

  /**
   * Reads a bundle from a file's content.
   *
   * @param origin what to call it in an error
   * @param pem PEM
   * @return the bundle
   * @throws BadCertificateException when it holds no certificate, or one that cannot be read
   */
  public static TrustBundle ofPem(String origin, String pem) throws BadCertificateException {
    return new TrustBundle(Pem.certificates(origin, pem));
  }

  /**
   * The bundle as it stands in a webhook configuration.
   *
   * @return PEM in base64
   */
  public String toCaBundle() {
    return Base64.getEncoder().encodeToString(pem().getBytes(StandardCharsets.US_ASCII));
  }

  /**
   * As text.
   *
   * @return PEM; empty for an empty bundle
   */
  public String pem() {
    return Pem.ofCertificates(certificates);
  }

  /**
   * Whether there is nothing in it.
   *
   * @return true for {@link #EMPTY}
   */
  public boolean isEmpty() {
    return certificates.isEmpty();
  }

  /**
   * This bundle, then another's certificates.
   *
   * @param others what is added
   * @return both
   */
  public TrustBundle plus(Collection<X509Certificate> others) {
    Set<X509Certificate> all = new LinkedHashSet<>(certificates);
    all.addAll(others);
    return new TrustBundle(List.copyOf(all));
  }

  /**
   * A part of it.
   *
   * @param kept what stays
   * @return the rest, in the same order
   */
  public TrustBundle only(Predicate<X509Certificate> kept) {
    return new TrustBundle(certificates.stream().filter(kept).toList());
  }

  /**
   * Without those whose life is over.
   *
   * @param now the present time
   * @return the rest
   */
  public TrustBundle validAt(Instant now) {
    return only(certificate -> now.isBefore(certificate.getNotAfter().toInstant()));
  }

  /**
   * Whether it trusts all that another one trusts.
   *
   * @param other another bundle
   * @return true when all of the other's certificates are here
   */
  public boolean containsAll(TrustBundle other) {
    return certificates.containsAll(other.certificates);
  }
}
