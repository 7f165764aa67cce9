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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Kubeflow's Training Operator does not work on jobs of the kind {@code PyTorchJob}: two operators
 * would create and delete the same pods. It shows by its Lease, where it elects a leader, and by
 * its webhooks, where their Service has an endpoint. Source: contract of PyTorchJob, section 10;
 * names as in the Training Operator 1.9.
 */
final class NoTrainingOperator implements StartCondition {

  /** The name of its Lease, in whatever namespace it was installed. */
  static final String LEASE = "1ca428e5.training-operator.kubeflow.org";

  /**
   * The names of its webhooks' configuration: in Kubeflow's own manifests, and in Open Data Hub's.
   */
  static final List<String> WEBHOOKS =
      List.of(
          "validator.training-operator.kubeflow.org",
          "kubeflow-validator.training-operator.kubeflow.org");

  /** How long there must have been no sign of it: it may be on its way to another node. */
  static final Duration GONE_AFTER = Duration.ofSeconds(60);

  /** A Lease that was not renewed for longer when it is seen first is a dead one. */
  private static final Duration CLOCKS_DIFFER = Duration.ofMinutes(10);

  private static final String REMEDY =
      " Stop it, for example with kubectl scale deployment training-operator --replicas=0 in its"
          + " namespace; if it works on other kinds only, say so with"
          + " OPERATOR_PYTORCHJOB_TRAINING_OPERATOR_CHECK=false";

  private final KubernetesClient client;
  private final Clock clock;
  private final LastAnswer last =
      new LastAnswer("it is not known yet whether Kubeflow's Training Operator works here");
  private final Map<String, String> renewals = new HashMap<>();
  private @Nullable String sign;
  private Instant signAt = Instant.MIN;

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
    return last.of(this::look);
  }

  private synchronized @Nullable String look() {
    Instant now = clock.instant();
    try {
      String lease = lease(now);
      String newest = lease == null ? webhooks() : lease;
      if (newest != null) {
        sign = newest;
        signAt = now;
      }
    } catch (KubernetesClientException away) {
      // It may not have been able to give a sign either.
      signAt = sign == null ? signAt : now;
      throw away;
    }
    if (sign == null || !now.isBefore(signAt.plus(GONE_AFTER))) {
      sign = null;
      return null;
    }
    return "Kubeflow's Training Operator works here: " + sign + "." + REMEDY;
  }

  /** Its Lease, if that was renewed since the last look: by the other one's clock, not by ours. */
  private @Nullable String lease(Instant now) {
    String held = null;
    for (Lease lease :
        client.leases().inAnyNamespace().withField("metadata.name", LEASE).list().getItems()) {
      ZonedDateTime renewed = lease.getSpec() == null ? null : lease.getSpec().getRenewTime();
      String holder = lease.getSpec() == null ? null : lease.getSpec().getHolderIdentity();
      if (renewed == null || holder == null || holder.isBlank()) {
        continue;
      }
      String namespace = lease.getMetadata().getNamespace();
      String renewal = holder + " " + renewed.toInstant();
      String before = renewals.put(namespace, renewal);
      boolean isNew =
          before == null
              ? Duration.between(renewed.toInstant(), now).abs().compareTo(CLOCKS_DIFFER) < 0
              : !before.equals(renewal);
      if (isNew) {
        held = "%s holds the Lease %s/%s".formatted(holder, namespace, LEASE);
      }
    }
    return held;
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
        if (hasEndpoint(service)) {
          return "the Service %s/%s of its webhooks has an endpoint"
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

  /** One that is not ready, too: its program works on jobs all the same. */
  private boolean hasEndpoint(ServiceReference service) {
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
        .anyMatch(endpoints -> endpoints != null && !endpoints.isEmpty());
  }
}
