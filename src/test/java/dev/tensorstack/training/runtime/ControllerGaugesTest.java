package dev.tensorstack.training.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.naming.Metric;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.javaoperatorsdk.operator.api.config.BaseConfigurationService;
import io.javaoperatorsdk.operator.api.config.ConfigurationService;
import io.javaoperatorsdk.operator.api.monitoring.Metrics;
import io.javaoperatorsdk.operator.api.reconciler.Constants;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.health.ControllerHealthInfo;
import io.javaoperatorsdk.operator.health.InformerHealthIndicator;
import io.javaoperatorsdk.operator.health.InformerWrappingEventSourceHealthIndicator;
import io.javaoperatorsdk.operator.health.Status;
import io.javaoperatorsdk.operator.processing.Controller;
import io.javaoperatorsdk.operator.processing.GroupVersionKind;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ControllerGaugesTest {

  private static final String QUEUE = "operator.sdk.reconciliations.queue.size.idle";
  private static final String EXECUTIONS = "operator.sdk.reconciliations.executions.idle";

  private final KubernetesClient notAsked = new KubernetesClientBuilder().build();
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final Metrics metrics = new OperatorWiring().metrics(registry);
  private final ConfigurationService configuration =
      ConfigurationService.newOverriddenConfigurationService(
          new BaseConfigurationService(), own -> own.withMetrics(metrics));
  private final ControllerGauges gauges = new ControllerGauges(registry);

  /** Looks at nothing. */
  @ControllerConfiguration(name = "idle")
  private static final class Idle implements Reconciler<ConfigMap> {
    @Override
    public UpdateControl<ConfigMap> reconcile(ConfigMap resource, Context<ConfigMap> context) {
      return UpdateControl.noUpdate();
    }
  }

  @AfterEach
  void close() {
    notAsked.close();
  }

  private Controller<ConfigMap> controller() {
    Idle reconciler = new Idle();
    return new Controller<>(reconciler, configuration.getConfigurationFor(reconciler), notAsked);
  }

  private void submit() {
    metrics.reconciliationSubmitted(
        new ConfigMapBuilder().withNewMetadata().withName("a").endMetadata().build(),
        null,
        Map.of(
            Constants.CONTROLLER_NAME,
            "idle",
            Constants.RESOURCE_GVK_KEY,
            GroupVersionKind.gvkFor(ConfigMap.class)));
  }

  private @Nullable Double queue() {
    Gauge gauge = registry.find(QUEUE).gauge();
    return gauge == null ? null : gauge.value();
  }

  @Test
  void theGaugesOfAControllerThatFollowsAnotherOneShowItsOwnQueue() {
    Controller<ConfigMap> first = controller();
    submit();
    submit();
    assertThat(queue()).isEqualTo(2);

    gauges.forget(first);
    assertThat(queue()).as("nothing is told of a controller that has ended").isNull();
    assertThat(registry.find(EXECUTIONS).gauge()).isNull();

    controller();
    assertThat(queue()).isZero();
    submit();
    assertThat(queue()).isEqualTo(1);
  }

  @Test
  void anInformerCountsUntilItHasListedAndWatches() {
    ControllerHealthInfo health =
        new ControllerHealthInfo(null) {
          @Override
          @SuppressWarnings("rawtypes") // As the framework has it.
          public Map<String, InformerWrappingEventSourceHealthIndicator>
              informerEventSourceHealthIndicators() {
            return Map.of(
                "pods", of(informer(true, true), informer(false, true)),
                "services", of(informer(true, false)),
                "jobs", of(informer(true, true)));
          }
        };

    assertThat(ControllerGauges.notSynced(health)).isEqualTo(2);
  }

  private static InformerWrappingEventSourceHealthIndicator<ConfigMap> of(
      InformerHealthIndicator... informers) {
    Map<String, InformerHealthIndicator> byNamespace = new HashMap<>();
    for (InformerHealthIndicator informer : informers) {
      byNamespace.put("namespace-" + byNamespace.size(), informer);
    }
    return () -> byNamespace;
  }

  private static InformerHealthIndicator informer(boolean synced, boolean watching) {
    return new InformerHealthIndicator() {
      @Override
      public boolean hasSynced() {
        return synced;
      }

      @Override
      public boolean isWatching() {
        return watching;
      }

      @Override
      public boolean isRunning() {
        return true;
      }

      @Override
      public String getTargetNamespace() {
        return "any";
      }

      @Override
      public Status getStatus() {
        return synced ? Status.HEALTHY : Status.UNHEALTHY;
      }
    };
  }

  @Test
  void aKindWithoutAControllerHasNoInformersToCount() {
    gauges.informers("Idle", () -> null);

    assertThat(
            registry
                .get(Metric.INFORMERS_NOT_SYNCED.meter())
                .tag(Metric.KIND_LABEL, "Idle")
                .gauge()
                .value())
        .isZero();
  }

  @Test
  void theFrameworkItselfGoesOnWithGaugesIntoWhichNobodyCounts() {
    controller();
    controller();
    submit();

    assertThat(queue()).as("mended? then ControllerGauges can go").isNotEqualTo(1.0);
  }
}
