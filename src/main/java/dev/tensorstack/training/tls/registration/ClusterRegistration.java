package dev.tensorstack.training.tls.registration;

import dev.tensorstack.training.tls.certificate.TrustBundle;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jboss.logging.Logger;

/**
 * In a cluster: the configurations come with the operator's manifests, and the operator keeps their
 * {@code caBundle} current. The rest of them is the administrator's.
 */
public final class ClusterRegistration implements Registration {

  private static final Logger LOG = Logger.getLogger(ClusterRegistration.class);

  private final WebhookConfigurations configurations;

  /**
   * A registration.
   *
   * @param client may get and update the configurations
   * @param name the name of both
   */
  public ClusterRegistration(KubernetesClient client, String name) {
    this.configurations = new WebhookConfigurations(client, name);
  }

  @Override
  public State read(boolean withTrust) {
    Map<WebhookKind, WebhookConfiguration> present = new EnumMap<>(WebhookKind.class);
    if (withTrust) {
      for (WebhookKind kind : WebhookKind.values()) {
        configurations.get(kind).ifPresent(found -> present.put(kind, found));
      }
    }
    return new State(present);
  }

  @Override
  public Outcome write(State state, TrustBundle required, Predicate<TrustBundle> accepts) {
    boolean changed = false;
    List<String> problems = new ArrayList<>();
    if (required.isEmpty()) {
      return new Outcome(false, problems);
    }
    for (WebhookKind kind : WebhookKind.values()) {
      WebhookConfiguration present = state.configurations().get(kind);
      if (present == null) {
        problems.add(
            configurations.describe(kind)
                + " does not exist: apply the operator's manifests, or name the configuration in"
                + " OPERATOR_WEBHOOKS_CONFIGURATION");
      } else if (!present.bundles().stream().allMatch(accepts)) {
        configurations.update(kind, present.withBundle(required));
        LOG.infof(
            "%s: the caBundle is written, CA certificates: %d",
            configurations.describe(kind), required.certificates().size());
        changed = true;
      }
    }
    return new Outcome(changed, problems);
  }

  /** The configurations are not the operator's. */
  @Override
  public void remove() {
    // Nothing of it is this operator's.
  }
}
