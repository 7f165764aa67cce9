package dev.tensorstack.training.kind.pytorchjob;

import dev.tensorstack.training.engine.EngineServices;
import dev.tensorstack.training.engine.JobController;
import dev.tensorstack.training.engine.JobReconciler;
import dev.tensorstack.training.engine.SpecOrLabelsChanged;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJob;
import io.javaoperatorsdk.operator.api.config.informer.Informer;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Ignore;

/** The controller of {@code PyTorchJob}, whose workers do not wait for names. */
@Ignore // It is started by its test alone.
@ControllerConfiguration(
    name = "pytorchjob",
    generationAwareEventProcessing = false,
    informer = @Informer(onUpdateFilter = SpecOrLabelsChanged.class))
final class TestReconciler extends JobReconciler<PyTorchJob> {

  TestReconciler(EngineServices services) {
    super(new JobController<>(new PyTorchJobKind(PyTorchJobSettings.PLAIN), services));
  }
}
