package dev.tensorstack.training.tls.certificate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.interfaces.ECPrivateKey;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.asn1.sec.SECObjectIdentifiers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileCertificatesTest {

  private static final RenewalPolicy POLICY =
      new RenewalPolicy(
          new Validity(Duration.ofDays(1), Duration.ofDays(2)), SubjectNames.ofThisMachine());
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  @TempDir
  @SuppressWarnings("NullAway.Init")
  Path directory;

  private CertificateMaterial read(FileCertificates files) throws BadCertificateException {
    return files.read(authority -> false);
  }

  private void write(SelfSigned certificates) throws IOException {
    Files.writeString(directory.resolve("tls.crt"), certificates.serving().chainPem());
    Files.writeString(directory.resolve("tls.key"), certificates.serving().keyPem());
    Files.writeString(directory.resolve("ca.crt"), certificates.trust().pem());
  }

  @Test
  void filesAreReadAgainWhenTheyChange() throws Exception {
    SelfSigned one = POLICY.fresh(NOW);
    SelfSigned other = POLICY.fresh(NOW);
    FileCertificates files = new FileCertificates(directory);
    write(one);
    assertThat(read(files)).isEqualTo(one.material()).isSameAs(read(files));
    write(other);
    assertThat(read(files)).isEqualTo(other.material());
    assertThat(files.knowsAuthorities()).isTrue();
  }

  @Test
  void aChangeThatIsOnlyHalfThereLeavesTheOneBefore() throws Exception {
    SelfSigned one = POLICY.fresh(NOW);
    SelfSigned other = POLICY.fresh(NOW);
    FileCertificates files = new FileCertificates(directory);
    write(one);
    CertificateMaterial before = read(files);

    Files.writeString(directory.resolve("tls.crt"), other.serving().chainPem());
    assertThat(read(files)).as("the key is the old one").isSameAs(before);
    Files.writeString(directory.resolve("tls.key"), "-----BEGIN PRIV");
    assertThat(read(files)).as("the key is half written").isSameAs(before);
    Files.writeString(directory.resolve("tls.key"), other.serving().keyPem());
    assertThat(read(files)).as("the authority is the old one").isSameAs(before);
    Files.delete(directory.resolve("tls.crt"));
    assertThat(read(files)).as("a file is gone").isSameAs(before);
    write(other);
    assertThat(read(files)).isEqualTo(other.material());
  }

  @Test
  void withoutAnythingUsableTheMessageSaysWhatTheDirectoryHasToHold() {
    FileCertificates files = new FileCertificates(directory.resolve("missing"));
    assertThatThrownBy(() -> read(files))
        .isInstanceOf(BadCertificateException.class)
        .hasMessageContaining("missing")
        .hasMessageContaining("it has to hold tls.crt and tls.key");
    assertThat(files.knowsAuthorities()).isFalse();
  }

  @Test
  void withoutAuthorityTheCaBundleIsSomebodyElses() throws Exception {
    SelfSigned one = POLICY.fresh(NOW);
    write(one);
    Files.delete(directory.resolve("ca.crt"));
    FileCertificates files = new FileCertificates(directory);
    assertThat(read(files).trust()).isEqualTo(TrustBundle.EMPTY);
    assertThat(files.knowsAuthorities()).isFalse();
  }

  @Test
  void keysInTheirOlderFormsAreRead() throws Exception {
    KeyPair rsa = KeyPairGenerator.getInstance("RSA").generateKeyPair();
    byte[] pkcs1 =
        PrivateKeyInfo.getInstance(rsa.getPrivate().getEncoded())
            .parsePrivateKey()
            .toASN1Primitive()
            .getEncoded();
    assertThat(ServingCertificate.fits(key("RSA PRIVATE KEY", pkcs1), rsa.getPublic())).isTrue();

    KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
    generator.initialize(new ECGenParameterSpec("secp256r1"));
    KeyPair ec = generator.generateKeyPair();
    byte[] sec1 =
        new org.bouncycastle.asn1.sec.ECPrivateKey(
                256, ((ECPrivateKey) ec.getPrivate()).getS(), SECObjectIdentifiers.secp256r1)
            .getEncoded();
    assertThat(ServingCertificate.fits(key("EC PRIVATE KEY", sec1), ec.getPublic())).isTrue();
  }

  private static PrivateKey key(String type, byte[] der) throws BadCertificateException {
    return Pem.key(
        "tls.key",
        "-----BEGIN %s-----%n%s%n-----END %s-----%n"
            .formatted(type, Base64.getMimeEncoder().encodeToString(der), type));
  }
}
