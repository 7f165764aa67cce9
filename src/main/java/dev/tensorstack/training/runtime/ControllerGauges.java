package dev.tensorstack.training.runtime;

import io.javaoperatorsdk.operator.processing.Controller;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;

/**
 * The framework's gauges of a controller, its queue and what it looks at. The framework makes them
 * for each controller and never takes them away: those of the next controller of a kind would have
 * the same names, so the registry would go on with the old ones, into which nobody counts.
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
}
