package dev.tensorstack.training.tls.certificate;

import io.quarkus.tls.runtime.KeyStoreAndKeyCertOptions;
import io.quarkus.tls.runtime.KeyStoreProvider;
import io.vertx.core.Vertx;
import io.vertx.core.net.KeyCertOptions;
import jakarta.enterprise.inject.Typed;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;

/**
 * The key store of the HTTPS server, in memory; it can be exchanged while the server runs. It
 * begins with a temporary certificate that nobody trusts, so that the server need not wait for the
 * real one. Safe for use by several threads.
 *
 * <p>The server itself is not told of a change, because Vert.x closes connections that are opened
 * while it reloads its keys; each handshake asks for the present ones instead.
 */
@Singleton
@Typed(ServedCertificate.class)
public class ServedCertificate implements KeyStoreProvider {

  /** The name of the server's TLS configuration in application.properties. */
  public static final String TLS_CONFIGURATION = "webhooks";

  private static final Logger LOG = Logger.getLogger(ServedCertificate.class);
  private static final Duration TEMPORARY = Duration.ofDays(1);

  private final ExchangeableKeys keys;
  private volatile CertificateMaterial material;
  private final CountDownLatch real = new CountDownLatch(1);

  /**
   * Begins with a temporary certificate.
   *
   * @param clock the time
   */
  public ServedCertificate(Clock clock) {
    SubjectNames nobody = new SubjectNames(Set.of("not-ready.invalid"), Set.of());
    material =
        new RenewalPolicy(new Validity(TEMPORARY, TEMPORARY), nobody)
            .fresh(clock.instant())
            .material();
    keys = new ExchangeableKeys(material.serving());
  }

  /**
   * What is served.
   *
   * @return certificate, key, and whom to trust
   */
  public CertificateMaterial material() {
    return material;
  }

  /**
   * Whether it is the one of the start.
   *
   * @return false once there was a real one
   */
  public boolean isTemporary() {
    return real.getCount() > 0;
  }

  /**
   * Waits until there is a real one.
   *
   * @param patience how long at most
   * @return false when there is none by then
   * @throws InterruptedException when the thread is interrupted
   */
  public boolean await(Duration patience) throws InterruptedException {
    return real.await(patience.toMillis(), TimeUnit.MILLISECONDS);
  }

  /**
   * Serves another certificate, to all connections that are opened from now on.
   *
   * @param next the certificate
   */
  public void serve(CertificateMaterial next) {
    keys.exchange(next.serving());
    material = next;
    real.countDown();
    LOG.infof("the webhooks serve %s", next.serving());
  }

  /**
   * The keys for another server of this process.
   *
   * @return those that are served, asked for at each handshake
   */
  public KeyCertOptions keys() {
    return KeyCertOptions.wrap(keys);
  }

  @Override
  public KeyStoreAndKeyCertOptions getKeyStore(Vertx vertx) {
    ServingCertificate serving = material.serving();
    char[] inMemoryOnly = new char[0];
    try {
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(null, inMemoryOnly);
      store.setKeyEntry(
          TLS_CONFIGURATION,
          serving.key(),
          inMemoryOnly,
          serving.chain().toArray(X509Certificate[]::new));
      return new KeyStoreAndKeyCertOptions(store, KeyCertOptions.wrap(keys));
    } catch (GeneralSecurityException | IOException impossible) {
      throw new IllegalStateException(
          "a certificate and its key make no key store: " + serving, impossible);
    }
  }
}
