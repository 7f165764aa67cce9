package dev.tensorstack.training.tls.certificate;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;

/**
 * What a TLS server shows its clients, and the key to it.
 *
 * @param chain the server's certificate, then those that signed it, if any
 * @param key the private key of the first
 */
public record ServingCertificate(List<X509Certificate> chain, PrivateKey key) {

  private static final byte[] PROBE = "does the key fit".getBytes(StandardCharsets.US_ASCII);

  /**
   * Copies the chain.
   *
   * @throws IllegalArgumentException without a certificate
   */
  public ServingCertificate {
    chain = List.copyOf(chain);
    if (chain.isEmpty()) {
      throw new IllegalArgumentException("no certificate");
    }
  }

  /**
   * Reads a certificate and its key, and checks that they belong together.
   *
   * @param certificates the chain as PEM
   * @param key the key as PEM
   * @return both
   * @throws BadCertificateException when a part cannot be read, or the key is not the certificate's
   */
  public static ServingCertificate parse(String certificates, String key)
      throws BadCertificateException {
    ServingCertificate parsed =
        new ServingCertificate(Pem.certificates("tls.crt", certificates), Pem.key("tls.key", key));
    if (!fits(parsed.key, parsed.certificate().getPublicKey())) {
      throw new BadCertificateException("tls.key is not the key of the certificate in tls.crt");
    }
    return parsed;
  }

  /** Whether a private and a public key are a pair. */
  static boolean fits(PrivateKey privateKey, PublicKey publicKey) {
    String algorithm =
        switch (privateKey.getAlgorithm()) {
          case "EC" -> "SHA256withECDSA";
          case "RSA" -> "SHA256withRSA";
          default -> privateKey.getAlgorithm();
        };
    try {
      Signature signer = Signature.getInstance(algorithm);
      signer.initSign(privateKey);
      signer.update(PROBE);
      byte[] signature = signer.sign();
      Signature verifier = Signature.getInstance(algorithm);
      verifier.initVerify(publicKey);
      verifier.update(PROBE);
      return verifier.verify(signature);
    } catch (GeneralSecurityException doNotFit) {
      return false;
    }
  }

  /**
   * The server's own certificate.
   *
   * @return the first of the chain
   */
  public X509Certificate certificate() {
    return chain.get(0);
  }

  /**
   * The end of its life.
   *
   * @return the last moment of the certificate that ends first
   */
  public Instant notAfter() {
    Instant end = certificate().getNotAfter().toInstant();
    for (X509Certificate signer : chain) {
      Instant other = signer.getNotAfter().toInstant();
      end = other.isBefore(end) ? other : end;
    }
    return end;
  }

  /**
   * Whether its life is over.
   *
   * @param now the present time
   * @return true when clients refuse it
   */
  public boolean isExpired(Instant now) {
    return !now.isBefore(notAfter());
  }

  /**
   * Whether somebody who trusts a certificate trusts this one.
   *
   * @param trusted a certificate of an authority
   * @return true when it signed one of the chain, or is one of it
   */
  public boolean isTrustedThrough(X509Certificate trusted) {
    return chain.stream().anyMatch(one -> one.equals(trusted) || isSignedBy(one, trusted));
  }

  /** Whether one certificate's signature was made with the key of another. */
  static boolean isSignedBy(X509Certificate certificate, X509Certificate signer) {
    try {
      certificate.verify(signer.getPublicKey());
      return certificate.getIssuerX500Principal().equals(signer.getSubjectX500Principal());
    } catch (GeneralSecurityException notThisOne) {
      return false;
    }
  }

  /** The chain as text. */
  String chainPem() {
    return Pem.ofCertificates(chain);
  }

  /** The key as text. */
  String keyPem() {
    return Pem.ofKey(key);
  }

  /** Never shows the key. */
  @Override
  public String toString() {
    return "certificate "
        + certificate().getSerialNumber().toString(16)
        + " valid until "
        + notAfter();
  }
}
