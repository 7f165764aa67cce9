package dev.tensorstack.training.runtime;

import io.fabric8.kubernetes.api.model.admissionregistration.v1.ServiceReference;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Kubeflow's Training Operator does not work on jobs of the kind {@code PyTorchJob}: two operators
 * would create and delete the same pods. It shows by its Lease, where it elects a leader, and by
 * its webhooks, where their Service has an endpoint that is ready. Source: contract of PyTorchJob,
 * section 10; names as in the Training Operator 1.9.
 */
final class NoTrainingOperator implements StartCondition {

  private static final Logger LOG = Logger.getLogger(NoTrainingOperator.class);

  /** The name of its Lease, in whatever namespace it was installed. */
  static final String LEASE = "1ca428e5.training-operator.kubeflow.org";

  /**
   * The names of its webhooks' configuration: in Kubeflow's own manifests, and in Open Data Hub's.
   */
  static final List<String> WEBHOOKS =
      List.of(
          "validator.training-operator.kubeflow.org",
          "kubeflow-validator.training-operator.kubeflow.org");

  /** A Lease is renewed every few seconds; clocks differ. */
  private static final Duration ALIVE = Duration.ofSeconds(60);

  private static final String REMEDY =
      " Stop it, for example with kubectl scale deployment training-operator --replicas=0 in its"
          + " namespace; if it works on other kinds only, say so with"
          + " OPERATOR_PYTORCHJOB_TRAINING_OPERATOR_CHECK=false";

  private final KubernetesClient client;
  private final Clock clock;
  private final AtomicBoolean blind = new AtomicBoolean();

  /**
   * A look for the other operator.
   *
   * @param client talks to the API server
   * @param clock the time
   */
  NoTrainingOperator(KubernetesClient client, Clock clock) {
    this.client = client;
    this.clock = clock;
  }

  @Override
  public boolean lasts() {
    return true;
  }

  @Override
  public @Nullable String obstacle() {
    String trace = seen(this::lease);
    if (trace == null) {
      trace = seen(this::webhooks);
    }
    return trace == null
        ? null
        : "Kubeflow's Training Operator works here: " + trace + "." + REMEDY;
  }

  /** A trace of it; null where there is none or where this operator may not look. */
  private @Nullable String seen(Supplier<@Nullable String> look) {
    try {
      return look.get();
    } catch (KubernetesClientException refusal) {
      if (!blind.getAndSet(true)) {
        LOG.infof(
            "whether Kubeflow's Training Operator works here, too, cannot be seen: %s",
            refusal.getMessage());
      }
      return null;
    }
  }

  private @Nullable String lease() {
    for (Lease lease :
        client.leases().inAnyNamespace().withField("metadata.name", LEASE).list().getItems()) {
      ZonedDateTime renewed = lease.getSpec() == null ? null : lease.getSpec().getRenewTime();
      String holder = lease.getSpec() == null ? null : lease.getSpec().getHolderIdentity();
      if (renewed == null || holder == null || holder.isBlank()) {
        continue;
      }
      Instant end = renewed.toInstant().plus(ALIVE);
      if (end.isAfter(clock.instant())) {
        return "%s holds the Lease %s/%s"
            .formatted(holder, lease.getMetadata().getNamespace(), LEASE);
      }
    }
    return null;
  }

  private @Nullable String webhooks() {
    for (String name : WEBHOOKS) {
      ValidatingWebhookConfiguration configuration =
          client
              .admissionRegistration()
              .v1()
              .validatingWebhookConfigurations()
              .withName(name)
              .get();
      for (ServiceReference service : services(configuration)) {
        if (hasReadyEndpoint(service)) {
          return "the Service %s/%s of its webhooks has an endpoint that is ready"
              .formatted(service.getNamespace(), service.getName());
        }
      }
    }
    return null;
  }

  private static List<ServiceReference> services(
      @Nullable ValidatingWebhookConfiguration configuration) {
    if (configuration == null) {
      return List.of();
    }
    return configuration.getWebhooks().stream()
        .filter(webhook -> webhook.getName().contains("pytorchjob"))
        .map(webhook -> webhook.getClientConfig().getService())
        .filter(Objects::nonNull)
        .toList();
  }

  private boolean hasReadyEndpoint(ServiceReference service) {
    return client
        .discovery()
        .v1()
        .endpointSlices()
        .inNamespace(service.getNamespace())
        .withLabel("kubernetes.io/service-name", service.getName())
        .list()
        .getItems()
        .stream()
        .map(EndpointSlice::getEndpoints)
        .filter(Objects::nonNull)
        .flatMap(List::stream)
        .anyMatch(
            endpoint ->
                endpoint.getConditions() == null
                    || !Boolean.FALSE.equals(endpoint.getConditions().getReady()));
  }
}
