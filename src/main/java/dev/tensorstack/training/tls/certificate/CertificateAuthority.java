package dev.tensorstack.training.tls.certificate;

import java.security.PrivateKey;
import java.security.cert.X509Certificate;

/**
 * Signs the webhooks' certificates.
 *
 * @param certificate what clients trust
 * @param key what it signs with
 */
record CertificateAuthority(X509Certificate certificate, PrivateKey key) {

  /** Whether it signed a certificate. */
  boolean signed(X509Certificate other) {
    return ServingCertificate.isSignedBy(other, certificate);
  }

  /** Never shows the key. */
  @Override
  public String toString() {
    return "authority " + certificate.getSerialNumber().toString(16);
  }
}
