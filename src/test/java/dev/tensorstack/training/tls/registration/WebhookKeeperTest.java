package dev.tensorstack.training.tls.registration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tensorstack.training.tls.certificate.BadCertificateException;
import dev.tensorstack.training.tls.certificate.CertificateMaterial;
import dev.tensorstack.training.tls.certificate.CertificateSource;
import dev.tensorstack.training.tls.certificate.MemoryCertificates;
import dev.tensorstack.training.tls.certificate.ServedCertificate;
import dev.tensorstack.training.tls.certificate.SubjectNames;
import dev.tensorstack.training.tls.certificate.TrustBundle;
import dev.tensorstack.training.tls.certificate.Validity;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class WebhookKeeperTest {

  private final MovedClock clock = new MovedClock();
  private final Source source = new Source();
  private final Registered registered = new Registered();
  private final ServedCertificate served = new ServedCertificate(clock);
  private final WebhookState state = new WebhookState(served, clock);
  private final WebhookKeeper keeper =
      new WebhookKeeper(source, registered, served, Duration.ofSeconds(30), clock);

  @Test
  void theFirstRealCertificateReplacesTheTemporaryOneAtOnce() throws Exception {
    assertThat(served.isTemporary()).isTrue();
    Registration.Outcome outcome = keeper.look();
    assertThat(outcome.changed()).isTrue();
    assertThat(served.material()).isEqualTo(source.material);
    assertThat(served.isTemporary()).isFalse();
    assertThat(registered.bundle).isEqualTo(source.material.trust());
  }

  @Test
  void aCertificateOfANewAuthorityIsServedOnceItIsTrusted() throws Exception {
    keeper.look();
    CertificateMaterial old = source.material;
    source.material = material();
    keeper.look();
    assertThat(registered.bundle.containsAll(old.trust())).isTrue();
    assertThat(registered.bundle.containsAll(source.material.trust())).isTrue();
    assertThat(served.material()).isEqualTo(old);

    clock.advance(Duration.ofSeconds(10));
    keeper.look();
    clock.advance(Duration.ofSeconds(29));
    keeper.look();
    assertThat(served.material()).as("trusted since the look before the last").isEqualTo(old);
    clock.advance(Duration.ofSeconds(1));
    keeper.look();
    assertThat(served.material()).isEqualTo(source.material);
    assertThat(registered.bundle.containsAll(old.trust())).as("other replicas").isTrue();

    clock.advance(Duration.ofMinutes(11));
    keeper.look();
    clock.advance(Duration.ofMinutes(11));
    keeper.look();
    assertThat(registered.bundle).isEqualTo(source.material.trust());
  }

  @Test
  void aProblemLeavesWhatIsServed() throws Exception {
    keeper.look();
    CertificateMaterial before = served.material();
    source.problem = new BadCertificateException("gone");
    assertThatThrownBy(keeper::look).isSameAs(source.problem);
    assertThat(served.material()).isSameAs(before);
  }

  @Test
  void anExpiredCertificateIsReplacedWithoutWaiting() throws Exception {
    keeper.look();
    clock.advance(Duration.ofDays(2));
    source.material = material();
    keeper.look();
    assertThat(served.material()).isEqualTo(source.material);
  }

  @Test
  void readyMeansListeningWithARealCertificateThatIsRegistered() throws Exception {
    assertThat(state.missing()).hasSize(3);
    state.listening();
    state.couldNotLook("the API server is away");
    assertThat(state.missing())
        .containsExactly("there is no certificate yet", "the API server is away");
    state.looked(keeper.look());
    assertThat(state.missing()).as("just written").hasSize(1);
    state.looked(keeper.look());
    assertThat(state.missing()).isEmpty();

    state.couldNotLook("the API server is away");
    assertThat(state.missing()).as("what was true is not doubted").isEmpty();
    state.looked(new Registration.Outcome(true, List.of()));
    assertThat(state.missing()).as("a correction").isEmpty();
    state.looked(new Registration.Outcome(false, List.of("a configuration does not exist")));
    assertThat(state.missing()).containsExactly("a configuration does not exist");
    state.looked(new Registration.Outcome(false, List.of()));
    clock.advance(Duration.ofDays(2));
    assertThat(state.missing()).containsExactly("the certificate has expired");
    state.stopping();
    assertThat(state.missing()).contains("the operator ends");
  }

  private CertificateMaterial material() {
    return new MemoryCertificates(
            SubjectNames.ofThisMachine(),
            new Validity(Duration.ofDays(1), Duration.ofDays(1)),
            clock)
        .read(authority -> true);
  }

  /** Gives what the test says. */
  private final class Source implements CertificateSource {
    private CertificateMaterial material = material();
    private @Nullable BadCertificateException problem;

    @Override
    public CertificateMaterial read(Predicate<X509Certificate> trusted)
        throws BadCertificateException {
      if (problem != null) {
        throw problem;
      }
      return material;
    }

    @Override
    public boolean knowsAuthorities() {
      return true;
    }
  }

  /** One configuration, in memory. */
  private static final class Registered implements Registration {
    private TrustBundle bundle = TrustBundle.EMPTY;

    @Override
    public State read(boolean withTrust) {
      return new State(
          Map.of(
              WebhookKind.MUTATING,
              WebhookManifest.read(new KubernetesSerialization(), WebhookKind.MUTATING)
                  .withBundle(bundle)));
    }

    @Override
    public Outcome write(State state, TrustBundle required, Predicate<TrustBundle> accepts) {
      if (accepts.test(bundle)) {
        return new Outcome(false, List.of());
      }
      bundle = required;
      return new Outcome(true, List.of());
    }

    @Override
    public void remove() {}
  }

  /** A clock that the test moves. */
  private static final class MovedClock extends Clock {
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");

    void advance(Duration duration) {
      now = now.plus(duration);
    }

    @Override
    public Instant instant() {
      return now;
    }

    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      return this;
    }
  }
}
