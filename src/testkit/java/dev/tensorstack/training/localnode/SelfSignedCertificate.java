package dev.tensorstack.training.localnode;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/**
 * Makes a certificate for 127.0.0.1 that signs itself, valid for a year, without any tool outside
 * of the JDK's public API: an X.509 certificate written out in DER (RFC 5280).
 */
public final class SelfSignedCertificate {
  private static final int SEQUENCE = 0x30;
  private static final byte[] ECDSA_WITH_SHA256 =
      der(SEQUENCE, der(0x06, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02));
  private static final byte[] COMMON_NAME = der(0x06, 0x55, 0x04, 0x03);
  private static final byte[] SUBJECT_ALTERNATIVE_NAME = der(0x06, 0x55, 0x1D, 0x11);

  private SelfSignedCertificate() {}

  /**
   * A TLS server's context with a new key and certificate.
   *
   * @param name the subject's common name
   * @return the context
   * @throws GeneralSecurityException if the JDK lacks elliptic curves
   */
  public static SSLContext serverContext(String name) throws GeneralSecurityException {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
    generator.initialize(new ECGenParameterSpec("secp256r1"));
    KeyPair pair = generator.generateKeyPair();
    char[] password = new char[0];
    try {
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(null, password);
      store.setKeyEntry(
          "node", pair.getPrivate(), password, new Certificate[] {certificate(name, pair)});
      KeyManagerFactory keys =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      keys.init(store, password);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(keys.getKeyManagers(), null, null);
      return context;
    } catch (IOException e) {
      throw new GeneralSecurityException(e);
    }
  }

  private static Certificate certificate(String name, KeyPair pair)
      throws GeneralSecurityException {
    byte[] subject =
        der(
            SEQUENCE,
            der(
                0x31,
                der(SEQUENCE, COMMON_NAME, der(0x0C, name.getBytes(StandardCharsets.UTF_8)))));
    Instant now = Instant.now();
    byte[] validity =
        der(SEQUENCE, time(now.minus(Duration.ofHours(1))), time(now.plus(Duration.ofDays(365))));
    byte[] names =
        der(
            SEQUENCE,
            der(0x87, 127, 0, 0, 1),
            der(0x82, "localhost".getBytes(StandardCharsets.US_ASCII)));
    byte[] extensions =
        der(0xA3, der(SEQUENCE, der(SEQUENCE, SUBJECT_ALTERNATIVE_NAME, der(0x04, names))));
    byte[] body =
        der(
            SEQUENCE,
            der(0xA0, der(0x02, 2)),
            der(0x02, BigInteger.valueOf(now.toEpochMilli()).toByteArray()),
            ECDSA_WITH_SHA256,
            subject,
            validity,
            subject,
            pair.getPublic().getEncoded(),
            extensions);
    Signature signature = Signature.getInstance("SHA256withECDSA");
    signature.initSign(pair.getPrivate());
    signature.update(body);
    byte[] signed =
        der(SEQUENCE, body, ECDSA_WITH_SHA256, der(0x03, new byte[] {0}, signature.sign()));
    return CertificateFactory.getInstance("X.509")
        .generateCertificate(new ByteArrayInputStream(signed));
  }

  private static byte[] time(Instant moment) {
    return der(
        0x17,
        DateTimeFormatter.ofPattern("yyMMddHHmmss'Z'")
            .withZone(ZoneOffset.UTC)
            .format(moment)
            .getBytes(StandardCharsets.US_ASCII));
  }

  private static byte[] der(int tag, int... content) {
    byte[] bytes = new byte[content.length];
    for (int i = 0; i < content.length; i++) {
      bytes[i] = (byte) content[i];
    }
    return der(tag, bytes);
  }

  private static byte[] der(int tag, byte[]... parts) {
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      content.writeBytes(part);
    }
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    all.write(tag);
    int length = content.size();
    if (length > 255) {
      all.write(0x82);
      all.write(length >> 8);
    } else if (length > 127) {
      all.write(0x81);
    }
    all.write(length);
    all.writeBytes(content.toByteArray());
    return all.toByteArray();
  }
}
