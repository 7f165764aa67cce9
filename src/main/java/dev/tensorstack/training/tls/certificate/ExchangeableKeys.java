package dev.tensorstack.training.tls.certificate;

import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/**
 * Gives each handshake of a TLS server the certificate of that moment. A handshake asks for a name
 * first, then for the key and the chain of that name; the name is that of one certificate, so that
 * a change in between does not mix two of them up.
 */
final class ExchangeableKeys extends X509ExtendedKeyManager {

  private volatile Pair pair;

  ExchangeableKeys(ServingCertificate first) {
    this.pair = new Pair(first, first);
  }

  /** What new handshakes get, and what those that have begun may still ask for. */
  private record Pair(ServingCertificate present, ServingCertificate before) {}

  /** Exchanges the certificate for all handshakes that begin from now on. */
  void exchange(ServingCertificate next) {
    pair = new Pair(next, pair.present);
  }

  private static String nameOf(ServingCertificate serving) {
    return serving.certificate().getSerialNumber().toString(16)
        + " "
        + System.identityHashCode(serving);
  }

  private @Nullable ServingCertificate named(@Nullable String name) {
    Pair now = pair;
    if (nameOf(now.present).equals(name)) {
      return now.present;
    }
    return nameOf(now.before).equals(name) ? now.before : null;
  }

  @Override
  public @Nullable String chooseEngineServerAlias(
      String keyType, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
    ServingCertificate present = pair.present;
    return present.certificate().getPublicKey().getAlgorithm().equals(keyType)
        ? nameOf(present)
        : null;
  }

  @Override
  public @Nullable String chooseServerAlias(
      String keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
    return chooseEngineServerAlias(keyType, issuers, null);
  }

  @Override
  public String @Nullable [] getServerAliases(String keyType, Principal @Nullable [] issuers) {
    String name = chooseEngineServerAlias(keyType, issuers, null);
    return name == null ? null : new String[] {name};
  }

  @Override
  public @Nullable PrivateKey getPrivateKey(@Nullable String alias) {
    ServingCertificate serving = named(alias);
    return serving == null ? null : serving.key();
  }

  @Override
  public X509Certificate @Nullable [] getCertificateChain(@Nullable String alias) {
    ServingCertificate serving = named(alias);
    return serving == null ? null : serving.chain().toArray(X509Certificate[]::new);
  }

  @Override
  public String @Nullable [] getClientAliases(String keyType, Principal @Nullable [] issuers) {
    return null;
  }

  @Override
  public @Nullable String chooseClientAlias(
      String[] keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
    return null;
  }
}
