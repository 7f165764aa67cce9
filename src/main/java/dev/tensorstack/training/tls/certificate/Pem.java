package dev.tensorstack.training.tls.certificate;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.security.PrivateKey;
import java.security.cert.CertificateEncodingException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.openssl.PEMException;
import org.bouncycastle.openssl.PEMKeyPair;
import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.openssl.jcajce.JcaPEMKeyConverter;

/** Certificates and private keys as text. */
final class Pem {

  private static final int LINE = 64;

  private Pem() {}

  /** One block for each certificate, in order. */
  static String ofCertificates(List<X509Certificate> certificates) {
    StringBuilder text = new StringBuilder();
    for (X509Certificate certificate : certificates) {
      try {
        append(text, "CERTIFICATE", certificate.getEncoded());
      } catch (CertificateEncodingException impossible) {
        throw new IllegalStateException("a certificate that was read or made", impossible);
      }
    }
    return text.toString();
  }

  /** The key as PKCS#8. */
  static String ofKey(PrivateKey key) {
    StringBuilder text = new StringBuilder();
    append(text, "PRIVATE KEY", key.getEncoded());
    return text.toString();
  }

  private static void append(StringBuilder text, String type, byte[] der) {
    text.append("-----BEGIN ")
        .append(type)
        .append("-----\n")
        .append(
            Base64.getMimeEncoder(LINE, "\n".getBytes(StandardCharsets.US_ASCII))
                .encodeToString(der))
        .append("\n-----END ")
        .append(type)
        .append("-----\n");
  }

  /**
   * Reads certificates; text around the blocks is ignored.
   *
   * @param what the name of the file or key, for the message
   * @param pem the text
   * @return at least one certificate, in order
   * @throws BadCertificateException when there is none, or one cannot be read
   */
  static List<X509Certificate> certificates(String what, String pem)
      throws BadCertificateException {
    List<X509Certificate> certificates = new ArrayList<>();
    try (PEMParser parser = new PEMParser(new StringReader(pem))) {
      CertificateFactory factory = CertificateFactory.getInstance("X.509");
      for (Object block = parser.readObject(); block != null; block = parser.readObject()) {
        if (block instanceof X509CertificateHolder holder) {
          certificates.add(
              (X509Certificate)
                  factory.generateCertificate(new ByteArrayInputStream(holder.getEncoded())));
        }
      }
    } catch (IOException | CertificateException | RuntimeException unreadable) {
      throw new BadCertificateException(
          what + " cannot be read: " + unreadable.getMessage(), unreadable);
    }
    if (certificates.isEmpty()) {
      throw new BadCertificateException(what + " holds no certificate");
    }
    return List.copyOf(certificates);
  }

  /**
   * Reads a private key: PKCS#8, or the older forms of RSA and EC keys; without a password.
   *
   * @param what the name of the file or key, for the message
   * @param pem the text
   * @return the first key in it
   * @throws BadCertificateException when there is none, or it cannot be read
   */
  static PrivateKey key(String what, String pem) throws BadCertificateException {
    JcaPEMKeyConverter converter = new JcaPEMKeyConverter();
    try (PEMParser parser = new PEMParser(new StringReader(pem))) {
      for (Object block = parser.readObject(); block != null; block = parser.readObject()) {
        if (block instanceof PEMKeyPair pair) {
          return converter.getPrivateKey(pair.getPrivateKeyInfo());
        }
        if (block instanceof PrivateKeyInfo info) {
          return converter.getPrivateKey(info);
        }
      }
    } catch (PEMException unknown) {
      throw new BadCertificateException(
          what + " holds a key of an unknown kind: " + unknown.getMessage(), unknown);
    } catch (IOException | RuntimeException unreadable) {
      throw new BadCertificateException(
          what + " cannot be read: " + unreadable.getMessage(), unreadable);
    }
    throw new BadCertificateException(what + " holds no private key without a password");
  }
}
