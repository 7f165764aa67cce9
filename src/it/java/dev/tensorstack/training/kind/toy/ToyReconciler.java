package dev.tensorstack.training.kind.toy;

import dev.tensorstack.training.engine.EngineServices;
import dev.tensorstack.training.engine.JobController;
import dev.tensorstack.training.engine.JobReconciler;
import dev.tensorstack.training.engine.SpecOrLabelsChanged;
import io.javaoperatorsdk.operator.api.config.informer.Informer;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Ignore;

/** The controller of {@code ToyJob}. */
@Ignore // It is started by its test alone.
@ControllerConfiguration(
    name = "toyjob",
    generationAwareEventProcessing = false,
    informer = @Informer(onUpdateFilter = SpecOrLabelsChanged.class))
final class ToyReconciler extends JobReconciler<ToyJob> {

  ToyReconciler(EngineServices services) {
    super(new JobController<>(new ToyKind(), services));
  }
}
