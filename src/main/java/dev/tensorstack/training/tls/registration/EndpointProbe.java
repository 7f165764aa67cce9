package dev.tensorstack.training.tls.registration;

import dev.tensorstack.training.tls.certificate.TrustBundle;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;

/** Asks whether a webhook that somebody registered is served, as the API server would see it. */
class EndpointProbe {

  /** As long as the API server waits: what answers within this is slow, and not gone. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private static final int HTTPS = 443;

  /**
   * Whether a TLS connection is possible.
   *
   * @param url where
   * @param trust whom to trust; when empty, the authorities of this machine
   * @return false when nobody listens, or with a certificate that is not trusted
   */
  boolean answers(URI url, TrustBundle trust) {
    int port = url.getPort() < 0 ? HTTPS : url.getPort();
    try (SSLSocket socket = (SSLSocket) context(trust).getSocketFactory().createSocket()) {
      SSLParameters parameters = socket.getSSLParameters();
      parameters.setEndpointIdentificationAlgorithm("HTTPS");
      socket.setSSLParameters(parameters);
      socket.setSoTimeout((int) PATIENCE.toMillis());
      socket.connect(new InetSocketAddress(url.getHost(), port), (int) PATIENCE.toMillis());
      socket.startHandshake();
      return true;
    } catch (IOException | GeneralSecurityException | IllegalArgumentException refused) {
      return false;
    }
  }

  private static SSLContext context(TrustBundle trust)
      throws GeneralSecurityException, IOException {
    if (trust.isEmpty()) {
      return SSLContext.getDefault();
    }
    KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, null);
    int number = 0;
    for (X509Certificate certificate : trust.certificates()) {
      store.setCertificateEntry("authority-" + number++, certificate);
    }
    TrustManagerFactory managers =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    managers.init(store);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, managers.getTrustManagers(), null);
    return context;
  }
}
