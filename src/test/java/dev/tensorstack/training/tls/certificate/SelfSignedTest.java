package dev.tensorstack.training.tls.certificate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SelfSignedTest {

  private static final RenewalPolicy POLICY =
      new RenewalPolicy(
          new Validity(Duration.ofDays(1), Duration.ofDays(2)), SubjectNames.ofThisMachine());
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  private final SelfSigned mine = POLICY.fresh(NOW);
  private final SelfSigned foreign = POLICY.fresh(NOW);

  @Test
  void whatASecretKeepsIsWhatWasPutIntoIt() throws Exception {
    assertThat(SelfSigned.ofData(mine.toData())).isEqualTo(mine);
    assertThat(mine.toData()).containsOnlyKeys("tls.crt", "tls.key", "ca.crt", "ca.key");
  }

  @ParameterizedTest
  @CsvSource({
    "tls.crt, tls.key is not the key",
    "tls.key, tls.key is not the key",
    "ca.crt, ca.key is not the key",
    "ca.key, ca.key is not the key"
  })
  void aPartOfAnotherSecretDoesNotFit(String key, String message) {
    Map<String, String> mixed = new HashMap<>(mine.toData());
    mixed.put(key, foreign.toData().get(key));
    assertThatThrownBy(() -> SelfSigned.ofData(mixed))
        .isInstanceOf(BadCertificateException.class)
        .hasMessageContaining(message);
  }

  @Test
  void anotherAuthorityHasNotSignedTheCertificate() {
    Map<String, String> mixed = new HashMap<>(mine.toData());
    mixed.put("ca.crt", foreign.toData().get("ca.crt"));
    mixed.put("ca.key", foreign.toData().get("ca.key"));
    assertThatThrownBy(() -> SelfSigned.ofData(mixed)).hasMessageContaining("has signed");
  }

  @ParameterizedTest
  @CsvSource({"tls.crt", "tls.key", "ca.crt", "ca.key"})
  void whatCannotBeReadIsNamed(String key) {
    String begin = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    for (String bad :
        new String[] {"", "!", encode(""), encode("text"), encode(begin), encode("----BEGIN")}) {
      Map<String, String> damaged = new HashMap<>(mine.toData());
      damaged.put(key, bad);
      assertThatThrownBy(() -> SelfSigned.ofData(damaged))
          .as(bad)
          .isInstanceOf(BadCertificateException.class)
          .hasMessageContaining(key);
    }
    Map<String, String> missing = new HashMap<>(mine.toData());
    missing.remove(key);
    assertThatThrownBy(() -> SelfSigned.ofData(missing)).hasMessageContaining(key + " is missing");
    assertThatThrownBy(() -> SelfSigned.ofData(null)).hasMessageContaining("is missing");
  }

  private static String encode(String text) {
    return Base64.getEncoder()
        .encodeToString(text.getBytes(java.nio.charset.StandardCharsets.UTF_8));
  }
}
