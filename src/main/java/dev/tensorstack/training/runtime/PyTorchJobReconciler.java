package dev.tensorstack.training.runtime;

import dev.tensorstack.training.engine.JobController;
import dev.tensorstack.training.engine.JobReconciler;
import dev.tensorstack.training.engine.SpecOrLabelsChanged;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJob;
import io.javaoperatorsdk.operator.api.config.informer.Informer;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.processing.retry.GradualRetry;
import jakarta.inject.Singleton;

/** The controller of {@code PyTorchJob}. */
@Singleton // A proxy would need a constructor without arguments.
@ControllerConfiguration(
    name = "pytorchjob",
    generationAwareEventProcessing = false,
    informer =
        @Informer(
            onUpdateFilter = SpecOrLabelsChanged.class,
            informerListLimit = JobController.LIST_LIMIT))
@GradualRetry(
    maxAttempts = -1,
    initialInterval = 1_000,
    intervalMultiplier = 2,
    maxInterval = 60_000)
public class PyTorchJobReconciler extends JobReconciler<PyTorchJob> {

  /**
   * The controller.
   *
   * @param parts what it works with
   */
  public PyTorchJobReconciler(JobController<PyTorchJob> parts) {
    super(parts);
  }
}
