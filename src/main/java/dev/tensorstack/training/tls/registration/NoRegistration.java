package dev.tensorstack.training.tls.registration;

import dev.tensorstack.training.tls.certificate.TrustBundle;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** Outside of a cluster, and without a URL: the API server does not know of the webhooks. */
public final class NoRegistration implements Registration {

  @Override
  public State read(boolean withTrust) {
    return new State(Map.of());
  }

  @Override
  public Outcome write(State state, TrustBundle required, Predicate<TrustBundle> accepts) {
    return new Outcome(false, List.of());
  }

  @Override
  public void remove() {
    // Nothing of it is this operator's.
  }
}
