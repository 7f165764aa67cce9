package dev.tensorstack.training.tls.certificate;

import java.io.IOException;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509ExtensionUtils;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** Makes authorities and the certificates that they sign; keys are ECDSA P-256. */
final class CertificateIssuer {

  /** With the serial number, one character less than the 64 that RFC 5280 allows. */
  private static final String AUTHORITY = "CN=pytorchtrainingjob-operator CA %s";

  private static final X500Name SERVER = new X500Name("CN=pytorchtrainingjob-operator webhooks");
  private static final int SERIAL_BITS = 127;

  private final SecureRandom random = new SecureRandom();
  private final Validity validity;

  CertificateIssuer(Validity validity) {
    this.validity = validity;
  }

  /** A new authority; its name is its own, so that clients do not mistake it for an older one. */
  CertificateAuthority authority(Instant now) {
    KeyPair pair = newKeys();
    BigInteger serial = newSerial();
    X500Name name = new X500Name(AUTHORITY.formatted(serial.toString(16)));
    try {
      JcaX509ExtensionUtils identifiers = new JcaX509ExtensionUtils();
      JcaX509v3CertificateBuilder builder =
          new JcaX509v3CertificateBuilder(
              name,
              serial,
              Date.from(now.minus(Validity.BACKDATE)),
              Date.from(now.plus(validity.authority())),
              name,
              pair.getPublic());
      builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(0));
      builder.addExtension(
          Extension.keyUsage, true, new KeyUsage(KeyUsage.keyCertSign | KeyUsage.cRLSign));
      builder.addExtension(
          Extension.subjectKeyIdentifier,
          false,
          identifiers.createSubjectKeyIdentifier(pair.getPublic()));
      return new CertificateAuthority(sign(builder, pair.getPrivate()), pair.getPrivate());
    } catch (IOException | GeneralSecurityException | OperatorCreationException impossible) {
      throw new IllegalStateException("this JVM cannot make certificates", impossible);
    }
  }

  /** A certificate for a server; it does not outlive its authority. */
  ServingCertificate serving(CertificateAuthority authority, SubjectNames names, Instant now) {
    KeyPair pair = newKeys();
    Instant end = now.plus(validity.serving());
    Instant last = authority.certificate().getNotAfter().toInstant();
    try {
      JcaX509ExtensionUtils identifiers = new JcaX509ExtensionUtils();
      JcaX509v3CertificateBuilder builder =
          new JcaX509v3CertificateBuilder(
              authority.certificate(),
              newSerial(),
              Date.from(now.minus(Validity.BACKDATE)),
              Date.from(end.isBefore(last) ? end : last),
              SERVER,
              pair.getPublic());
      builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(false));
      builder.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature));
      builder.addExtension(
          Extension.extendedKeyUsage, false, new ExtendedKeyUsage(KeyPurposeId.id_kp_serverAuth));
      builder.addExtension(
          Extension.authorityKeyIdentifier,
          false,
          identifiers.createAuthorityKeyIdentifier(authority.certificate()));
      builder.addExtension(Extension.subjectAlternativeName, false, alternatives(names));
      return new ServingCertificate(List.of(sign(builder, authority.key())), pair.getPrivate());
    } catch (IOException | GeneralSecurityException | OperatorCreationException impossible) {
      throw new IllegalStateException("this JVM cannot make certificates", impossible);
    }
  }

  private static GeneralNames alternatives(SubjectNames names) {
    List<GeneralName> all = new ArrayList<>();
    for (String name : names.dns()) {
      all.add(new GeneralName(GeneralName.dNSName, name));
    }
    for (String address : names.addresses()) {
      all.add(new GeneralName(GeneralName.iPAddress, address));
    }
    return new GeneralNames(all.toArray(GeneralName[]::new));
  }

  private static X509Certificate sign(JcaX509v3CertificateBuilder builder, PrivateKey key)
      throws OperatorCreationException, GeneralSecurityException {
    return new JcaX509CertificateConverter()
        .getCertificate(builder.build(new JcaContentSignerBuilder("SHA256withECDSA").build(key)));
  }

  private KeyPair newKeys() {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
      generator.initialize(new ECGenParameterSpec("secp256r1"), random);
      return generator.generateKeyPair();
    } catch (GeneralSecurityException impossible) {
      throw new IllegalStateException("this JVM has no P-256 keys", impossible);
    }
  }

  private BigInteger newSerial() {
    return new BigInteger(SERIAL_BITS, random).setBit(SERIAL_BITS - 1);
  }
}
