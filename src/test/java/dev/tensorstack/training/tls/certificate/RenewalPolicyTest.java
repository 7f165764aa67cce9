package dev.tensorstack.training.tls.certificate;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

class RenewalPolicyTest {

  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
  private static final Duration DAY = Duration.ofDays(1);
  private static final SubjectNames NAMES = SubjectNames.ofService("webhook", "training");
  private static final Predicate<X509Certificate> NOBODY = authority -> false;
  private static final Predicate<X509Certificate> ALL = authority -> true;

  private final RenewalPolicy policy =
      new RenewalPolicy(new Validity(DAY.multipliedBy(90), DAY.multipliedBy(300)), NAMES);
  private final SelfSigned first = policy.fresh(START);

  private static Instant day(int number) {
    return START.plus(DAY.multipliedBy(number));
  }

  private SelfSigned next(SelfSigned present, Predicate<X509Certificate> trusted, Instant now) {
    return policy.next(present, trusted, now).orElseThrow().certificates();
  }

  @Test
  void theFirstCertificateIsSignedByItsAuthorityForTheServersNames() throws Exception {
    X509Certificate certificate = first.serving().certificate();
    assertThat(first.isSettled()).isTrue();
    assertThat(first.trust().certificates()).containsExactly(first.authority().certificate());
    assertThat(SubjectNames.of(certificate)).isEqualTo(NAMES);
    assertThat(certificate.getExtendedKeyUsage()).containsExactly("1.3.6.1.5.5.7.3.1");
    assertThat(certificate.getBasicConstraints()).isEqualTo(-1);
    assertThat(first.authority().certificate().getBasicConstraints()).isZero();
    assertThat(certificate.getNotAfter().toInstant()).isEqualTo(day(90));
    assertThat(certificate.getNotBefore().toInstant()).as("clocks are behind").isBefore(START);
  }

  @Test
  void nothingChangesBeforeTwoThirdsOfALife() {
    assertThat(policy.next(first, ALL, START)).isEmpty();
    assertThat(policy.next(first, ALL, day(59))).isEmpty();
    assertThat(policy.next(first, ALL, day(60))).isPresent();
  }

  @Test
  void aCertificateIsRenewedByTheSameAuthority() {
    SelfSigned renewed = next(first, NOBODY, day(60));
    assertThat(renewed.authority()).isEqualTo(first.authority());
    assertThat(renewed.trust()).isEqualTo(first.trust());
    assertThat(renewed.serving()).isNotEqualTo(first.serving());
    assertThat(renewed.serving().notAfter()).isEqualTo(day(150));
    assertThat(policy.next(renewed, ALL, day(60))).isEmpty();
  }

  @Test
  void aCertificateDoesNotOutliveItsAuthority() {
    SelfSigned old = next(first, NOBODY, day(199));
    assertThat(next(old, NOBODY, day(259)).serving().notAfter()).isBeforeOrEqualTo(day(300));
  }

  @Test
  void aNewAuthorityStandsBesideTheOldOneBeforeItSigns() {
    SelfSigned settled = next(first, ALL, day(199));
    SelfSigned both = next(settled, NOBODY, day(200));
    assertThat(both.serving()).as("still the old one's").isEqualTo(settled.serving());
    assertThat(both.trust().certificates())
        .containsExactly(both.authority().certificate(), first.authority().certificate());
    assertThat(both.isSettled()).isFalse();
    assertThat(policy.next(both, NOBODY, day(201))).as("nobody trusts it yet").isEmpty();

    SelfSigned changed = next(both, ALL, day(201));
    assertThat(changed.isSettled()).isTrue();
    assertThat(changed.trust()).as("replicas may serve the old one's").isEqualTo(both.trust());
    assertThat(policy.next(changed, ALL, day(201))).isEmpty();
  }

  @Test
  void anOldAuthorityIsTrustedUntilNothingOfItsIsValid() {
    SelfSigned changed = next(next(next(first, ALL, day(199)), ALL, day(200)), ALL, day(201));
    SelfSigned later = next(changed, ALL, day(262));
    assertThat(later.trust().certificates()).hasSize(2);
    assertThat(next(later, ALL, day(300)).trust().certificates())
        .containsExactly(changed.authority().certificate());
  }

  @Test
  void aNewAuthoritySignsBeforeTheOldCertificateEndsEvenIfNobodySeemsToTrustIt() {
    SelfSigned both = next(next(first, ALL, day(199)), NOBODY, day(200));
    assertThat(policy.next(both, NOBODY, day(279))).isEmpty();
    assertThat(next(both, NOBODY, day(280)).isSettled()).isTrue();
  }

  @Test
  void anExpiredAuthorityIsReplacedAtOnce() {
    SelfSigned fresh = next(first, NOBODY, day(300));
    assertThat(fresh.isSettled()).isTrue();
    assertThat(fresh.trust().certificates()).doesNotContain(first.authority().certificate());
  }

  @Test
  void aNameThatIsMissingIsAddedToTheOthers() {
    SubjectNames url = SubjectNames.ofUrl(URI.create("https://10.1.2.3:9443"));
    RenewalPolicy other =
        new RenewalPolicy(new Validity(DAY.multipliedBy(90), DAY.multipliedBy(300)), url);
    SelfSigned both = other.next(first, ALL, START).orElseThrow().certificates();
    assertThat(SubjectNames.of(both.serving().certificate())).isEqualTo(NAMES.plus(url));
    assertThat(policy.next(both, ALL, START)).isEmpty();
    assertThat(other.next(both, ALL, START)).isEmpty();
  }

  @Test
  void namesAreThoseUnderWhichAnApiServerCalls() {
    assertThat(NAMES.dns())
        .containsExactlyInAnyOrder(
            "webhook",
            "webhook.training",
            "webhook.training.svc",
            "webhook.training.svc.cluster.local");
    assertThat(SubjectNames.ofUrl(URI.create("https://Host.Example:1")))
        .isEqualTo(new SubjectNames(Set.of("host.example"), Set.of()));
    SubjectNames v6 = SubjectNames.ofUrl(URI.create("https://[fd00::1]:9443"));
    SelfSigned certificates =
        new RenewalPolicy(new Validity(DAY, DAY), v6.plus(SubjectNames.ofThisMachine()))
            .fresh(START);
    assertThat(SubjectNames.of(certificates.serving().certificate()))
        .isEqualTo(v6.plus(SubjectNames.ofThisMachine()));
  }

  @Test
  void keysAreNeverPartOfAText() {
    assertThat(first.toString())
        .doesNotContain("PRIVATE")
        .doesNotContain(first.authority().key().toString());
  }
}
