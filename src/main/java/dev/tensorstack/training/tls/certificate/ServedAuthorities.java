package dev.tensorstack.training.tls.certificate;

import java.io.IOException;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.function.Supplier;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Trusts the servers that a bundle of authorities vouches for, as it is at each handshake. Safe for
 * use by several threads.
 */
public final class ServedAuthorities extends X509ExtendedTrustManager {

  private final Supplier<TrustBundle> bundle;

  /**
   * Trusts whom a bundle trusts.
   *
   * @param bundle says which authorities there are now
   */
  public ServedAuthorities(Supplier<TrustBundle> bundle) {
    this.bundle = bundle;
  }

  private X509ExtendedTrustManager now() throws CertificateException {
    try {
      return ClientAuthorities.managerOf(bundle.get().certificates());
    } catch (GeneralSecurityException | IOException unusable) {
      throw new CertificateException("the authorities cannot be used", unusable);
    }
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    now().checkServerTrusted(chain, type, engine);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    now().checkServerTrusted(chain, type, socket);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
    now().checkServerTrusted(chain, type);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    throw new CertificateException("no client is served");
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    throw new CertificateException("no client is served");
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
    throw new CertificateException("no client is served");
  }

  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return bundle.get().certificates().toArray(X509Certificate[]::new);
  }
}
