package dev.tensorstack.training.runtime;

import dev.tensorstack.training.core.naming.Metric;
import io.javaoperatorsdk.operator.health.ControllerHealthInfo;
import io.javaoperatorsdk.operator.health.InformerHealthIndicator;
import io.javaoperatorsdk.operator.health.InformerWrappingEventSourceHealthIndicator;
import io.javaoperatorsdk.operator.processing.Controller;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The gauges of a controller: how its informers are, and the framework's, its queue and what it
 * looks at. The framework makes them for each controller and never takes them away: those of the
 * next controller of a kind would have the same names, so the registry would go on with the old
 * ones, into which nobody counts.
 */
final class ControllerGauges {

  private static final List<String> NAMES =
      List.of(
          "operator.sdk.reconciliations.queue.size.", "operator.sdk.reconciliations.executions.");

  private final MeterRegistry registry;

  /**
   * The gauges of all controllers.
   *
   * @param registry where the framework's metrics go
   */
  ControllerGauges(MeterRegistry registry) {
    this.registry = registry;
  }

  /**
   * Takes away those of a controller that has ended.
   *
   * @param controller works on nothing any more
   */
  void forget(Controller<?> controller) {
    String name = controller.getConfiguration().getName();
    for (String prefix : NAMES) {
      registry.find(prefix + name).meters().forEach(registry::remove);
    }
  }

  /**
   * Shows how many informers of a kind's controller cannot be relied on.
   *
   * @param kind the kind's name
   * @param controller the one that there is now; null while the kind is not worked on
   */
  void informers(String kind, Supplier<@Nullable Controller<?>> controller) {
    Gauge.builder(
            Metric.INFORMERS_NOT_SYNCED.meter(),
            () -> {
              Controller<?> now = controller.get();
              return now == null ? 0 : notSynced(now.getControllerHealthInfo());
            })
        .description(Metric.INFORMERS_NOT_SYNCED.description())
        .tag(Metric.KIND_LABEL, kind)
        .strongReference(true)
        .register(registry);
  }

  /** Each namespace that is watched has informers of its own. */
  static long notSynced(ControllerHealthInfo health) {
    long count = 0;
    for (InformerWrappingEventSourceHealthIndicator<?> source :
        health.informerEventSourceHealthIndicators().values()) {
      for (InformerHealthIndicator informer : source.informerHealthIndicators().values()) {
        if (!informer.hasSynced() || !informer.isWatching()) {
          count++;
        }
      }
    }
    return count;
  }
}
