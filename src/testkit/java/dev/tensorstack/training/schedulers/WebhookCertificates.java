package dev.tensorstack.training.schedulers;

import java.io.IOException;
import java.io.StringWriter;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/**
 * An authority and the certificate of a webhook server on 127.0.0.1, as PEM, such that the rotator
 * of <a href="https://github.com/open-policy-agent/cert-controller">cert-controller</a> takes them
 * for its own and does not make others: RSA keys in PKCS#1, valid for longer than the 90 days for
 * which it looks ahead.
 *
 * @param authority the authority's certificate
 * @param authorityKey its private key
 * @param server the server's certificate
 * @param serverKey its private key
 */
record WebhookCertificates(String authority, String authorityKey, String server, String serverKey) {
  private static final Duration VALIDITY = Duration.ofDays(365);

  /**
   * Makes new ones.
   *
   * @param authorityName what the rotator calls its authority
   * @param serverName the name of the Service in front of the webhooks, with namespace and {@code
   *     .svc}
   */
  static WebhookCertificates create(String authorityName, String serverName) {
    try {
      KeyPair authorityKeys = newKeys();
      KeyPair serverKeys = newKeys();
      X500Name issuer = new X500Name("CN=" + authorityName);
      JcaX509v3CertificateBuilder authority = certificate(issuer, issuer, authorityKeys);
      authority.addExtension(Extension.basicConstraints, true, new BasicConstraints(true));
      authority.addExtension(
          Extension.keyUsage,
          true,
          new KeyUsage(
              KeyUsage.digitalSignature | KeyUsage.keyEncipherment | KeyUsage.keyCertSign));
      authority.addExtension(
          Extension.subjectAlternativeName,
          false,
          new GeneralNames(new GeneralName(GeneralName.dNSName, authorityName)));
      JcaX509v3CertificateBuilder server =
          certificate(issuer, new X500Name("CN=" + serverName), serverKeys);
      server.addExtension(Extension.basicConstraints, true, new BasicConstraints(false));
      server.addExtension(
          Extension.keyUsage,
          true,
          new KeyUsage(KeyUsage.digitalSignature | KeyUsage.keyEncipherment));
      server.addExtension(
          Extension.extendedKeyUsage, false, new ExtendedKeyUsage(KeyPurposeId.id_kp_serverAuth));
      server.addExtension(
          Extension.subjectAlternativeName,
          false,
          new GeneralNames(
              new GeneralName[] {
                new GeneralName(GeneralName.dNSName, serverName),
                new GeneralName(GeneralName.iPAddress, "127.0.0.1")
              }));
      PrivateKey signer = authorityKeys.getPrivate();
      return new WebhookCertificates(
          pem(sign(authority, signer)),
          pem(signer),
          pem(sign(server, signer)),
          pem(serverKeys.getPrivate()));
    } catch (IOException | GeneralSecurityException | OperatorCreationException impossible) {
      throw new IllegalStateException("this JVM cannot make certificates", impossible);
    }
  }

  private static JcaX509v3CertificateBuilder certificate(
      X500Name issuer, X500Name subject, KeyPair keys) {
    Instant now = Instant.now();
    return new JcaX509v3CertificateBuilder(
        issuer,
        BigInteger.valueOf(now.toEpochMilli()),
        Date.from(now.minus(Duration.ofHours(1))),
        Date.from(now.plus(VALIDITY)),
        subject,
        keys.getPublic());
  }

  private static X509Certificate sign(JcaX509v3CertificateBuilder builder, PrivateKey key)
      throws OperatorCreationException, GeneralSecurityException {
    return new JcaX509CertificateConverter()
        .getCertificate(builder.build(new JcaContentSignerBuilder("SHA256withRSA").build(key)));
  }

  private static KeyPair newKeys() throws GeneralSecurityException {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
    generator.initialize(2048);
    return generator.generateKeyPair();
  }

  private static String pem(Object object) throws IOException {
    StringWriter text = new StringWriter();
    try (JcaPEMWriter writer = new JcaPEMWriter(text)) {
      writer.writeObject(object);
    }
    return text.toString();
  }
}
