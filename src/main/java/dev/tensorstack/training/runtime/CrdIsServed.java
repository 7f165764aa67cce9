package dev.tensorstack.training.runtime;

import dev.tensorstack.training.core.naming.ObjectKind;
import io.fabric8.kubernetes.api.model.APIResourceList;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.jspecify.annotations.Nullable;

/** The API server serves the kind. */
final class CrdIsServed implements StartCondition {

  private final KubernetesClient client;
  private final ObjectKind kind;
  private final LastAnswer last =
      new LastAnswer("the API server has not yet said whether it serves it");

  /**
   * A look at what is served.
   *
   * @param client talks to the API server
   * @param kind the kind of the jobs
   */
  CrdIsServed(KubernetesClient client, ObjectKind kind) {
    this.client = client;
    this.kind = kind;
  }

  @Override
  public @Nullable String obstacle() {
    return last.of(
        () -> {
          APIResourceList served = client.getApiResources(kind.apiVersion());
          boolean there =
              served != null
                  && served.getResources().stream()
                      .anyMatch(resource -> kind.plural().equals(resource.getName()));
          return there
              ? null
              : "the API server does not serve it: install the CRD %s.%s, or leave the kind out with OPERATOR_KINDS"
                  .formatted(kind.plural(), kind.group());
        });
  }
}
