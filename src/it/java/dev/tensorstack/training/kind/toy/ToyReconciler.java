package dev.tensorstack.training.kind.toy;

import dev.tensorstack.training.engine.FairWriteQueue;
import dev.tensorstack.training.engine.JobReconciler;
import dev.tensorstack.training.engine.Leadership;
import dev.tensorstack.training.engine.OperatorSettings;
import dev.tensorstack.training.engine.SpecOrLabelsChanged;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.api.config.informer.Informer;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Ignore;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Clock;

/** The controller of {@code ToyJob}. */
@Ignore // It is started by its test alone.
@ControllerConfiguration(
    name = "toyjob",
    generationAwareEventProcessing = false,
    informer = @Informer(onUpdateFilter = SpecOrLabelsChanged.class))
final class ToyReconciler extends JobReconciler<ToyJob> {

  ToyReconciler(
      KubernetesClient client,
      OperatorSettings settings,
      Clock clock,
      MeterRegistry registry,
      FairWriteQueue writes,
      Leadership leadership) {
    super(new ToyKind(), client, settings, clock, registry, writes, leadership);
  }
}
