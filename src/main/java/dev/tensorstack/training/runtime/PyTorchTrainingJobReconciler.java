package dev.tensorstack.training.runtime;

import dev.tensorstack.training.engine.FairWriteQueue;
import dev.tensorstack.training.engine.JobObserver;
import dev.tensorstack.training.engine.JobReconciler;
import dev.tensorstack.training.engine.Leadership;
import dev.tensorstack.training.engine.OperatorSettings;
import dev.tensorstack.training.engine.SpecOrLabelsChanged;
import dev.tensorstack.training.kind.JobKind;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJob;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.api.config.informer.Informer;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.processing.retry.GradualRetry;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.inject.Singleton;
import java.time.Clock;

/** The controller of {@code PyTorchTrainingJob}. */
@Singleton // A proxy would need a constructor without arguments.
@ControllerConfiguration(
    name = "pytorchtrainingjob",
    generationAwareEventProcessing = false,
    informer =
        @Informer(
            onUpdateFilter = SpecOrLabelsChanged.class,
            informerListLimit = JobObserver.LIST_LIMIT))
@GradualRetry(
    maxAttempts = -1,
    initialInterval = 1_000,
    intervalMultiplier = 2,
    maxInterval = 60_000)
public class PyTorchTrainingJobReconciler extends JobReconciler<PyTorchTrainingJob> {

  /**
   * The controller.
   *
   * @param kind the kind of the jobs
   * @param client talks to the API server
   * @param settings what an administrator can set
   * @param clock the time
   * @param registry where counts go
   * @param writes the queue of all pod writes
   * @param leadership whether this process is the one that works on jobs
   */
  public PyTorchTrainingJobReconciler(
      JobKind<PyTorchTrainingJob> kind,
      KubernetesClient client,
      OperatorSettings settings,
      Clock clock,
      MeterRegistry registry,
      FairWriteQueue writes,
      Leadership leadership) {
    super(kind, client, settings, clock, registry, writes, leadership);
  }
}
