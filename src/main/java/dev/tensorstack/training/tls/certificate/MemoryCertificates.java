package dev.tensorstack.training.tls.certificate;

import java.security.cert.X509Certificate;
import java.time.Clock;
import java.util.Optional;
import java.util.function.Predicate;

/** Certificates of the operator's own making that nobody else needs to know: nothing is written. */
public final class MemoryCertificates implements CertificateSource {

  private final RenewalPolicy policy;
  private final Clock clock;
  private SelfSigned present;

  /**
   * Makes the first one.
   *
   * @param names what the server is called
   * @param validity how long certificates live
   * @param clock the time
   */
  public MemoryCertificates(SubjectNames names, Validity validity, Clock clock) {
    this.policy = new RenewalPolicy(validity, names);
    this.clock = clock;
    this.present = policy.fresh(clock.instant());
  }

  @Override
  public CertificateMaterial read(Predicate<X509Certificate> trusted) {
    for (Optional<RenewalPolicy.Renewal> next = next(trusted);
        next.isPresent();
        next = next(trusted)) {
      present = next.get().certificates();
    }
    return present.material();
  }

  private Optional<RenewalPolicy.Renewal> next(Predicate<X509Certificate> trusted) {
    return policy.next(present, trusted, clock.instant());
  }

  @Override
  public boolean knowsAuthorities() {
    return true;
  }
}
