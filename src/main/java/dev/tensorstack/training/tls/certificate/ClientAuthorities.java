package dev.tensorstack.training.tls.certificate;

import io.quarkus.vertx.http.HttpServerOptionsCustomizer;
import io.vertx.core.http.ClientAuth;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.TrustOptions;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import org.bouncycastle.asn1.x500.RDN;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x500.style.BCStyle;
import org.bouncycastle.asn1.x500.style.IETFUtils;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Who may call the webhooks: API servers with a certificate of certain authorities, or everybody
 * when no authorities are set. The file is read again as time goes by; what cannot be used leaves
 * what was there before in use, and without any usable authority nobody may call. Safe for use by
 * several threads.
 */
public final class ClientAuthorities implements HttpServerOptionsCustomizer {

  private static final Logger LOG = Logger.getLogger(ClientAuthorities.class);
  private static final int DNS_NAME = 2;

  private final @Nullable Path file;
  private final Set<String> names;
  private final X509ExtendedTrustManager clients = new Clients();
  private @Nullable String read;
  private @Nullable String warned;
  private volatile @Nullable X509ExtendedTrustManager trusted;

  /**
   * Reads the file for the first time.
   *
   * @param file PEM; empty: everybody may call
   * @param names the common names or DNS names of those that may; empty: all whom the authorities
   *     vouch for
   */
  public ClientAuthorities(Optional<Path> file, Collection<String> names) {
    this.file = file.orElse(null);
    this.names = Set.copyOf(names);
    List<String> unused = refresh();
  }

  /**
   * Reads the file again.
   *
   * @return why nobody may call; empty when somebody may
   */
  public synchronized List<String> refresh() {
    if (file == null) {
      return List.of();
    }
    try {
      String now = Files.readString(file, StandardCharsets.ISO_8859_1);
      if (!now.equals(read)) {
        List<X509Certificate> authorities = Pem.certificates(file.toString(), now);
        trusted = managerOf(authorities);
        read = now;
        LOG.infof("%s: %d authorities of callers of the webhooks", file, authorities.size());
      }
      warned = null;
      return List.of();
    } catch (IOException | GeneralSecurityException | BadCertificateException unusable) {
      String problem =
          "the authorities of the webhooks' callers cannot be used: "
              + unusable
              + "; operator.webhooks.client-ca has to name a PEM file with certificates";
      if (trusted == null) {
        return List.of(problem);
      }
      if (!problem.equals(warned)) {
        warned = problem;
        LOG.warn(problem + "; those before stay in use");
      }
      return List.of();
    }
  }

  /** Trusts whom some authorities vouch for. */
  static X509ExtendedTrustManager managerOf(List<X509Certificate> authorities)
      throws GeneralSecurityException, IOException {
    KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, null);
    for (int i = 0; i < authorities.size(); i++) {
      store.setCertificateEntry("authority-" + i, authorities.get(i));
    }
    TrustManagerFactory factory =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(store);
    for (TrustManager manager : factory.getTrustManagers()) {
      if (manager instanceof X509ExtendedTrustManager found) {
        return found;
      }
    }
    throw new GeneralSecurityException("no trust manager for X.509");
  }

  /** Refuses, in the handshake, who is not to call. */
  @Override
  public void customizeHttpsServer(HttpServerOptions options) {
    if (file != null) {
      options.setClientAuth(ClientAuth.REQUIRED);
      options.setTrustOptions(TrustOptions.wrap(clients));
    }
  }

  /** Those whom the authorities of that moment vouch for. */
  X509ExtendedTrustManager clients() {
    return clients;
  }

  private X509ExtendedTrustManager trusted() throws CertificateException {
    X509ExtendedTrustManager now = trusted;
    if (now == null) {
      throw new CertificateException("nobody may call: there are no authorities");
    }
    return now;
  }

  private void checkName(X509Certificate client) throws CertificateException {
    if (!names.isEmpty() && namesOf(client).stream().noneMatch(names::contains)) {
      throw new CertificateException(
          client.getSubjectX500Principal() + " is none of those that may call: " + names);
    }
  }

  private static Set<String> namesOf(X509Certificate client) throws CertificateParsingException {
    Set<String> all = new HashSet<>();
    for (RDN name :
        X500Name.getInstance(client.getSubjectX500Principal().getEncoded()).getRDNs(BCStyle.CN)) {
      all.add(IETFUtils.valueToString(name.getFirst().getValue()));
    }
    Collection<List<?>> alternatives = client.getSubjectAlternativeNames();
    if (alternatives != null) {
      alternatives.stream()
          .filter(name -> name.get(0).equals(DNS_NAME))
          .forEach(name -> all.add(String.valueOf(name.get(1))));
    }
    return all;
  }

  /** Asks the authorities of that moment, for each handshake. */
  private final class Clients extends X509ExtendedTrustManager {

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
        throws CertificateException {
      trusted().checkClientTrusted(chain, type, engine);
      checkName(chain[0]);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
        throws CertificateException {
      trusted().checkClientTrusted(chain, type, socket);
      checkName(chain[0]);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type)
        throws CertificateException {
      trusted().checkClientTrusted(chain, type);
      checkName(chain[0]);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
        throws CertificateException {
      throw new CertificateException("no server is called");
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
        throws CertificateException {
      throw new CertificateException("no server is called");
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type)
        throws CertificateException {
      throw new CertificateException("no server is called");
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      X509ExtendedTrustManager now = trusted;
      return now == null ? new X509Certificate[0] : now.getAcceptedIssuers();
    }
  }
}
