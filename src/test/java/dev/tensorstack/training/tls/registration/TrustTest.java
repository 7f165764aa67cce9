package dev.tensorstack.training.tls.registration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.tls.certificate.MemoryCertificates;
import dev.tensorstack.training.tls.certificate.SubjectNames;
import dev.tensorstack.training.tls.certificate.TrustBundle;
import dev.tensorstack.training.tls.certificate.Validity;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.Test;

/** {@link TrustHistory} and {@link TrustOverlap}. */
class TrustTest {

  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  private final X509Certificate old = authority(Duration.ofDays(1));
  private final X509Certificate young = authority(Duration.ofDays(1));

  static X509Certificate authority(Duration validity) {
    return new MemoryCertificates(
            SubjectNames.ofThisMachine(),
            new Validity(validity, validity),
            Clock.fixed(NOW, ZoneOffset.UTC))
        .read(authority -> true)
        .trust()
        .certificates()
        .get(0);
  }

  private static TrustBundle bundle(X509Certificate... certificates) {
    return new TrustBundle(List.of(certificates));
  }

  private static Instant at(int seconds) {
    return NOW.plusSeconds(seconds);
  }

  @Test
  void anAuthorityIsTrustedOnceAllWebhooksHaveTrustedItForAWhile() {
    TrustHistory history = new TrustHistory(Duration.ofSeconds(30));
    history.observe(List.of(bundle(old, young), bundle(old)), at(0));
    assertThat(history.isTrusted(old, at(29))).isFalse();
    assertThat(history.isTrusted(old, at(30))).isTrue();
    assertThat(history.isTrusted(young, at(30))).as("one lacks it").isFalse();

    history.observe(List.of(bundle(old, young), bundle(young, old)), at(40));
    assertThat(history.isTrusted(young, at(69))).isFalse();
    assertThat(history.isTrusted(young, at(70))).isTrue();

    history.observe(List.of(bundle(old), bundle(young, old)), at(80));
    history.observe(List.of(bundle(old, young), bundle(young, old)), at(81));
    assertThat(history.isTrusted(young, at(100))).as("it was away in between").isFalse();
    assertThat(history.isTrusted(old, at(100))).isTrue();
  }

  @Test
  void withoutWebhooksNobodyCanMistrust() {
    TrustHistory history = new TrustHistory(Duration.ofSeconds(30));
    assertThat(history.isTrusted(old, at(0))).isTrue();
    history.observe(List.of(bundle()), at(0));
    assertThat(history.isTrusted(old, at(100))).isFalse();
  }

  @Test
  void whatIsServedStaysTrustedForAWhileAfterItIsNotServedAnyMore() {
    TrustOverlap overlap = new TrustOverlap(Duration.ofSeconds(60));
    assertThat(overlap.required(bundle(young), bundle(old), at(0))).isEqualTo(bundle(young, old));
    assertThat(overlap.required(bundle(young), bundle(young), at(59)))
        .isEqualTo(bundle(young, old));
    assertThat(overlap.required(bundle(young), bundle(young), at(60))).isEqualTo(bundle(young));
  }

  @Test
  void whatHasExpiredIsTrustedByNobody() {
    TrustOverlap overlap = new TrustOverlap(Duration.ofDays(2));
    Instant later = NOW.plus(Duration.ofDays(1));
    assertThat(overlap.required(bundle(young), bundle(old), NOW).certificates()).hasSize(2);
    assertThat(overlap.required(bundle(young), bundle(young), later).certificates()).isEmpty();
    assertThat(overlap.accepts(bundle(young), bundle(), later)).isFalse();
  }

  @Test
  void aBundleThatLacksOneIsWrittenAtOnceAndOneThatHasMoreAfterAWhile() {
    TrustOverlap overlap = new TrustOverlap(Duration.ofSeconds(60));
    assertThat(overlap.accepts(bundle(young), bundle(young), at(0))).isTrue();
    assertThat(overlap.accepts(bundle(old), bundle(young), at(0))).isFalse();
    assertThat(overlap.accepts(TrustBundle.EMPTY, bundle(young), at(0))).isFalse();

    assertThat(overlap.accepts(bundle(old, young), bundle(young), at(0))).isTrue();
    assertThat(overlap.accepts(bundle(old, young), bundle(young), at(59))).isTrue();
    assertThat(overlap.accepts(bundle(old, young), bundle(young), at(60))).isFalse();
  }
}
