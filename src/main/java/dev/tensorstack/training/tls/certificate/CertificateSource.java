package dev.tensorstack.training.tls.certificate;

import java.security.cert.X509Certificate;
import java.util.function.Predicate;

/** Gives the certificate that shall be served. Not for use by several threads. */
public interface CertificateSource {

  /**
   * What shall be served now; renewed first when that is due.
   *
   * @param trusted whether the webhooks' clients trust an authority by now
   * @return certificate, key and the authorities that verify them
   * @throws BadCertificateException when there is none that can be used
   * @throws io.fabric8.kubernetes.client.KubernetesClientException when the API server is away or
   *     refuses
   */
  CertificateMaterial read(Predicate<X509Certificate> trusted) throws BadCertificateException;

  /**
   * Whether it also says whom clients have to trust.
   *
   * @return false when somebody else writes the {@code caBundle} of the webhooks
   */
  boolean knowsAuthorities();
}
