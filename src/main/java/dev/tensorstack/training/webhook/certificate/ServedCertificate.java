package dev.tensorstack.training.webhook.certificate;

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
import java.util.Arrays;
import java.util.Set;
import java.util.function.BooleanSupplier;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.X509KeyManager;

/**
 * The key store of the HTTPS server, in memory. It begins with a temporary certificate that nobody
 * trusts, so that the server need not wait for the real one. Safe for use by several threads.
 */
@Singleton
@Typed(ServedCertificate.class)
public class ServedCertificate implements KeyStoreProvider {

  /** The name of the server's TLS configuration in application.properties. */
  public static final String TLS_CONFIGURATION = "webhooks";

  private static final Duration TEMPORARY = Duration.ofDays(1);
  private static final String ALIAS = "webhooks";

  private volatile CertificateMaterial material;
  private volatile boolean temporary = true;

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
    return temporary;
  }

  /**
   * Exchanges it; the server has to be told ({@link TlsServer}).
   *
   * @param real the new certificate
   * @param reload makes the TLS configuration read it; false when it cannot
   * @return whether it was exchanged; if not, all is as before
   */
  boolean exchange(CertificateMaterial real, BooleanSupplier reload) {
    CertificateMaterial before = material;
    material = real;
    if (!reload.getAsBoolean()) {
      material = before;
      return false;
    }
    temporary = false;
    return true;
  }

  @Override
  public KeyStoreAndKeyCertOptions getKeyStore(Vertx vertx) {
    ServingCertificate serving = material.serving();
    char[] inMemoryOnly = new char[0];
    try {
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(null, inMemoryOnly);
      store.setKeyEntry(
          ALIAS, serving.key(), inMemoryOnly, serving.chain().toArray(X509Certificate[]::new));
      KeyManagerFactory managers =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      managers.init(store, inMemoryOnly);
      return new KeyStoreAndKeyCertOptions(store, KeyCertOptions.wrap(keyManager(managers)));
    } catch (GeneralSecurityException | IOException impossible) {
      throw new IllegalStateException(
          "a certificate and its key make no key store: " + serving, impossible);
    }
  }

  private static X509KeyManager keyManager(KeyManagerFactory managers) {
    for (KeyManager manager : managers.getKeyManagers()) {
      if (manager instanceof X509KeyManager found) {
        return found;
      }
    }
    throw new IllegalStateException(
        "no X.509 key manager in " + Arrays.toString(managers.getKeyManagers()));
  }
}
