package dev.tensorstack.training.operator;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.StringReader;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.bouncycastle.openssl.PEMKeyPair;
import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.openssl.jcajce.JcaPEMKeyConverter;
import org.jspecify.annotations.Nullable;

/** Calls a webhook as an API server does that has no connection yet: with a new handshake. */
final class WebhookClient {

  /** Milliseconds: as long as the API server waits. */
  private static final int TIMEOUT = 10_000;

  private static final int DNS = 2;

  private static final String REVIEW =
      """
      {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
        "uid": "1a2b", "operation": "CREATE", "namespace": "default", "name": "called",
        "kind": {"group": "batch.tensorstack.dev", "version": "v1beta1", "kind": "PyTorchTrainingJob"},
        "resource": {"group": "batch.tensorstack.dev", "version": "v1beta1", "resource": "pytorchtrainingjobs"},
        "userInfo": {"username": "test"},
        "object": {
          "apiVersion": "batch.tensorstack.dev/v1beta1", "kind": "PyTorchTrainingJob",
          "metadata": {"name": "called", "namespace": "default"},
          "spec": {"replicaSpecs": [{"type": "worker", "replicas": 1, "template": {"spec": {
            "containers": [{"name": "c", "image": "i", "command": ["python", "t.py"]}]}}}]}}}}
      """;

  private WebhookClient() {}

  /**
   * An answer.
   *
   * @param body what the webhook said
   * @param certificate what its server showed
   */
  record Answer(String body, X509Certificate certificate) {}

  /**
   * Calls once.
   *
   * @param url the webhook
   * @param trustPem whom to trust
   * @param serverName the host name that the certificate has to be for, if it is not the URL's
   * @return the answer
   * @throws IOException when the connection is refused, the certificate not trusted, or the answer
   *     is an error
   */
  static Answer call(String url, String trustPem, String serverName) throws IOException {
    return call(url, trustPem, serverName, null);
  }

  /**
   * Calls once as somebody.
   *
   * @param client the caller's certificate; null for none
   */
  static Answer call(
      String url, String trustPem, String serverName, TestAuthority.@Nullable Issued client)
      throws IOException {
    HttpsURLConnection connection = (HttpsURLConnection) new URL(url).openConnection();
    connection.setSSLSocketFactory(context(trustPem, client).getSocketFactory());
    // Asked only when the certificate is not for the URL's own host.
    connection.setHostnameVerifier(
        (host, session) -> {
          try {
            X509Certificate certificate = (X509Certificate) session.getPeerCertificates()[0];
            return certificate.getSubjectAlternativeNames().contains(List.of(DNS, serverName));
          } catch (IOException | GeneralSecurityException unreadable) {
            return false;
          }
        });
    connection.setConnectTimeout(TIMEOUT);
    connection.setReadTimeout(TIMEOUT);
    connection.setRequestMethod("POST");
    connection.setRequestProperty("Content-Type", "application/json");
    connection.setRequestProperty("Connection", "close");
    connection.setDoOutput(true);
    try (OutputStream request = connection.getOutputStream()) {
      request.write(REVIEW.getBytes(StandardCharsets.UTF_8));
    }
    Certificate shown = connection.getServerCertificates()[0];
    try (InputStream answer = connection.getInputStream()) {
      return new Answer(
          new String(answer.readAllBytes(), StandardCharsets.UTF_8), (X509Certificate) shown);
    }
  }

  private static SSLContext context(String trustPem, TestAuthority.@Nullable Issued client) {
    try {
      KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      int number = 0;
      for (Certificate certificate :
          CertificateFactory.getInstance("X.509")
              .generateCertificates(
                  new ByteArrayInputStream(trustPem.getBytes(StandardCharsets.US_ASCII)))) {
        store.setCertificateEntry("authority-" + number++, certificate);
      }
      TrustManagerFactory managers =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      managers.init(store);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(client == null ? null : identity(client), managers.getTrustManagers(), null);
      return context;
    } catch (GeneralSecurityException | IOException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private static KeyManager[] identity(TestAuthority.Issued client)
      throws GeneralSecurityException, IOException {
    KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, null);
    char[] inMemoryOnly = new char[0];
    try (PEMParser key = new PEMParser(new StringReader(client.key()))) {
      store.setKeyEntry(
          "client",
          new JcaPEMKeyConverter().getKeyPair((PEMKeyPair) key.readObject()).getPrivate(),
          inMemoryOnly,
          CertificateFactory.getInstance("X.509")
              .generateCertificates(
                  new ByteArrayInputStream(
                      client.certificate().getBytes(StandardCharsets.US_ASCII)))
              .toArray(Certificate[]::new));
    }
    KeyManagerFactory managers =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    managers.init(store, inMemoryOnly);
    return managers.getKeyManagers();
  }
}
