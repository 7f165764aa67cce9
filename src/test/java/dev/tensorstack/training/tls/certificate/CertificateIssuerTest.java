package dev.tensorstack.training.tls.certificate;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import javax.naming.ldap.LdapName;
import org.bouncycastle.asn1.DERUTF8String;
import org.bouncycastle.asn1.x500.RDN;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x500.style.BCStyle;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

class CertificateIssuerTest {

  /** As many characters as RFC 5280 allows in a common name (ub-common-name). */
  private static final int LONGEST = 64;

  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  private final CertificateIssuer issuer =
      new CertificateIssuer(new Validity(Duration.ofDays(1), Duration.ofDays(2)));

  @RepeatedTest(20)
  void anAuthoritysNameIsItsOwnAndNotLongerThanAllowed() throws Exception {
    CertificateAuthority one = issuer.authority(NOW);
    assertThat(commonName(one.certificate()))
        .hasSizeLessThanOrEqualTo(LONGEST)
        .isNotEqualTo(commonName(issuer.authority(NOW).certificate()));
  }

  /** The first authorities were called so; their Secrets are still in clusters. */
  @Test
  void anAuthorityWithALongerNameGoesOnSigning() throws Exception {
    CertificateAuthority old =
        authority("pytorchtrainingjob-operator webhooks CA " + "7".repeat(32));
    assertThat(commonName(old.certificate())).hasSizeGreaterThan(LONGEST);

    ServingCertificate serving = issuer.serving(old, SubjectNames.ofThisMachine(), NOW);
    assertThat(old.signed(serving.certificate())).isTrue();
    assertThat(serving.certificate().getIssuerX500Principal())
        .isEqualTo(old.certificate().getSubjectX500Principal());

    SelfSigned stored = new SelfSigned(old, serving, new TrustBundle(List.of(old.certificate())));
    assertThat(SelfSigned.ofData(stored.toData())).isEqualTo(stored);
  }

  private static CertificateAuthority authority(String commonName) throws Exception {
    KeyPair pair = KeyPairGenerator.getInstance("EC").generateKeyPair();
    X500Name name = new X500Name(new RDN[] {new RDN(BCStyle.CN, new DERUTF8String(commonName))});
    JcaX509v3CertificateBuilder builder =
        new JcaX509v3CertificateBuilder(
            name,
            BigInteger.ONE,
            Date.from(NOW),
            Date.from(NOW.plus(Duration.ofDays(9))),
            name,
            pair.getPublic());
    builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(0));
    return new CertificateAuthority(
        new JcaX509CertificateConverter()
            .getCertificate(
                builder.build(
                    new JcaContentSignerBuilder("SHA256withECDSA").build(pair.getPrivate()))),
        pair.getPrivate());
  }

  private static String commonName(X509Certificate certificate) throws Exception {
    return new LdapName(certificate.getSubjectX500Principal().getName())
        .getRdn(0)
        .getValue()
        .toString();
  }
}
