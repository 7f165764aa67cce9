package dev.tensorstack.training.operator;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
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
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** Somebody else's authority, with RSA keys in the older PEM form, as cert-manager writes them. */
final class TestAuthority {

  private final X500Name name = new X500Name("CN=authority " + System.nanoTime());
  private final KeyPair pair;
  private final String pem;

  private TestAuthority() throws Exception {
    this.pair = keys();
    JcaX509v3CertificateBuilder builder = builder(name, pair);
    builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(0));
    this.pem = sign(builder);
  }

  static TestAuthority create() {
    try {
      return new TestAuthority();
    } catch (Exception impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  /** Its certificate. */
  String pem() {
    return pem;
  }

  /**
   * A certificate and its key.
   *
   * @param certificate PEM
   * @param key PEM
   */
  record Issued(String certificate, String key) {}

  /** A new certificate for 127.0.0.1. */
  Issued issue() {
    try {
      KeyPair server = keys();
      JcaX509v3CertificateBuilder builder = builder(new X500Name("CN=server"), server);
      builder.addExtension(
          Extension.subjectAlternativeName,
          false,
          new GeneralNames(new GeneralName(GeneralName.iPAddress, "127.0.0.1")));
      return new Issued(sign(builder), write(server.getPrivate()));
    } catch (Exception impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  /**
   * A certificate of a client and its key.
   *
   * @param commonName its name
   */
  Issued issueClient(String commonName) {
    try {
      KeyPair client = keys();
      JcaX509v3CertificateBuilder builder = builder(new X500Name("CN=" + commonName), client);
      builder.addExtension(
          Extension.extendedKeyUsage, false, new ExtendedKeyUsage(KeyPurposeId.id_kp_clientAuth));
      return new Issued(sign(builder), write(client.getPrivate()));
    } catch (Exception impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private JcaX509v3CertificateBuilder builder(X500Name subject, KeyPair keys) {
    Instant now = Instant.now();
    return new JcaX509v3CertificateBuilder(
        name,
        BigInteger.valueOf(System.nanoTime()),
        Date.from(now.minus(Duration.ofMinutes(1))),
        Date.from(now.plus(Duration.ofDays(1))),
        subject,
        keys.getPublic());
  }

  private String sign(JcaX509v3CertificateBuilder builder)
      throws OperatorCreationException, GeneralSecurityException, java.io.IOException {
    return write(
        new JcaX509CertificateConverter()
            .getCertificate(
                builder.build(
                    new JcaContentSignerBuilder("SHA256withRSA").build(pair.getPrivate()))));
  }

  private static String write(Object object) throws java.io.IOException {
    java.io.StringWriter text = new java.io.StringWriter();
    try (JcaPEMWriter writer = new JcaPEMWriter(text)) {
      writer.writeObject(object);
    }
    return text.toString();
  }

  private static KeyPair keys() throws GeneralSecurityException {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
    generator.initialize(2048);
    return generator.generateKeyPair();
  }
}
