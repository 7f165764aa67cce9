package dev.tensorstack.training.runtime;

import dev.tensorstack.training.core.naming.ObjectKind;
import io.fabric8.kubernetes.api.model.APIResourceList;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The API server serves the kind. Where it does not say, the watch finds out.
 *
 * @param client talks to the API server
 * @param kind the kind of the jobs
 */
record CrdIsServed(KubernetesClient client, ObjectKind kind) implements StartCondition {

  private static final Logger LOG = Logger.getLogger(CrdIsServed.class);

  @Override
  public @Nullable String obstacle() {
    try {
      APIResourceList served = client.getApiResources(kind.apiVersion());
      boolean there =
          served != null
              && served.getResources().stream()
                  .anyMatch(resource -> kind.plural().equals(resource.getName()));
      return there
          ? null
          : "the API server does not serve it: install the CRD %s.%s, or leave the kind out with OPERATOR_KINDS"
              .formatted(kind.plural(), kind.group());
    } catch (KubernetesClientException silent) {
      LOG.debugf("whether %s is served cannot be asked: %s", kind, silent.getMessage());
      return null;
    }
  }
}
