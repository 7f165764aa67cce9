package dev.tensorstack.training.tls.certificate;

import java.security.cert.X509Certificate;
import java.util.function.Predicate;

/**
 * What shall be served, and what verifies it.
 *
 * @param serving certificate and key of the server
 * @param trust the authorities; empty when the API server's side is somebody else's business
 */
public record CertificateMaterial(ServingCertificate serving, TrustBundle trust) {

  /**
   * Whether clients that trust certain authorities would accept the certificate.
   *
   * @param trusted whether they trust an authority
   * @return true when one of the bundle's authorities that they trust vouches for it
   */
  public boolean isTrusted(Predicate<X509Certificate> trusted) {
    return trust.certificates().stream().filter(trusted).anyMatch(serving::isTrustedThrough);
  }
}
