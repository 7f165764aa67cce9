package dev.tensorstack.training.controlplane;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** The authority of a control plane, for clients that trust nobody else. */
public final class TrustedAuthority {

  private TrustedAuthority() {}

  /**
   * A context for TLS.
   *
   * @param authorityPem certificates in PEM, one after the other
   * @return trusts what these have signed; it has no certificate of its own
   * @throws IllegalStateException when they cannot be read
   */
  public static SSLContext context(String authorityPem) {
    try {
      KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
      trusted.load(null, null);
      for (Certificate certificate :
          CertificateFactory.getInstance("X.509")
              .generateCertificates(new ByteArrayInputStream(authorityPem.getBytes(US_ASCII)))) {
        trusted.setCertificateEntry("authority-" + trusted.size(), certificate);
      }
      TrustManagerFactory factory =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      factory.init(trusted);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, factory.getTrustManagers(), null);
      return context;
    } catch (GeneralSecurityException | IOException problem) {
      throw new IllegalStateException("the authority's certificates cannot be read", problem);
    }
  }
}
