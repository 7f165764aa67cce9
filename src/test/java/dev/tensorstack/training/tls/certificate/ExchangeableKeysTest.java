package dev.tensorstack.training.tls.certificate;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class ExchangeableKeysTest {

  private static final RenewalPolicy POLICY =
      new RenewalPolicy(
          new Validity(Duration.ofDays(1), Duration.ofDays(2)), SubjectNames.ofThisMachine());

  private final ServingCertificate one = fresh();
  private final ServingCertificate other = fresh();

  private static ServingCertificate fresh() {
    return POLICY.fresh(Instant.parse("2026-01-01T00:00:00Z")).serving();
  }

  @Test
  void aHandshakeThatHasBegunKeepsItsKeyAndItsChain() {
    ExchangeableKeys keys = new ExchangeableKeys(one);
    String begun = keys.chooseServerAlias("EC", null, null);
    keys.exchange(other);
    assertThat(keys.getPrivateKey(begun)).isEqualTo(one.key());
    assertThat(keys.getCertificateChain(begun)).containsExactly(one.certificate());

    String next = keys.chooseServerAlias("EC", null, null);
    assertThat(keys.getPrivateKey(next)).isEqualTo(other.key());
    assertThat(keys.getCertificateChain(next)).containsExactly(other.certificate());
  }

  @Test
  void aKindOfKeyThatIsNotThereIsNotOffered() {
    ExchangeableKeys keys = new ExchangeableKeys(one);
    assertThat(keys.chooseEngineServerAlias("RSA", null, null)).isNull();
    assertThat(keys.getServerAliases("EC", null)).hasSize(1);
    assertThat(keys.getPrivateKey("unknown")).isNull();
    assertThat(keys.getCertificateChain(null)).isNull();
  }
}
