package dev.tensorstack.training.runtime;

import dev.tensorstack.training.engine.JobController;
import dev.tensorstack.training.engine.ReportInbox;
import dev.tensorstack.training.kind.pytorchjob.PyTorchJobAdmission;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJob;
import dev.tensorstack.training.kind.trainingjob.TrainingJobKind;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJob;
import dev.tensorstack.training.progress.ProgressReports;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import io.vertx.core.Vertx;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.util.HashMap;
import java.util.Map;

/** Listens to trainings from the start of the application to its end. */
@Singleton
public class ProgressLifecycle {

  private final ProgressReports reports;
  private final ServedKinds served;
  private final Instance<JobController<PyTorchTrainingJob>> trainingJobs;
  private final Instance<JobController<PyTorchJob>> pyTorchJobs;

  /**
   * A lifecycle.
   *
   * @param reports listens
   * @param served the kinds that this operator works on
   * @param trainingJobs take the reports of one kind
   * @param pyTorchJobs take those of the other
   */
  public ProgressLifecycle(
      ProgressReports reports,
      ServedKinds served,
      Instance<JobController<PyTorchTrainingJob>> trainingJobs,
      Instance<JobController<PyTorchJob>> pyTorchJobs) {
    this.reports = reports;
    this.served = served;
    this.trainingJobs = trainingJobs;
    this.pyTorchJobs = pyTorchJobs;
  }

  void begin(
      @Observes StartupEvent started,
      Vertx vertx,
      KubernetesClient client,
      Clock clock,
      MeterRegistry registry) {
    reports.start(vertx, client, clock, registry, this::inboxes);
  }

  private Map<String, ReportInbox> inboxes() {
    Map<String, ReportInbox> inboxes = new HashMap<>();
    if (served.includes(ServedKinds.TRAINING_JOB)) {
      inboxes.put(TrainingJobKind.KIND.plural(), trainingJobs.get().reports());
    }
    if (served.includes(ServedKinds.PYTORCH_JOB)) {
      inboxes.put(PyTorchJobAdmission.KIND.plural(), pyTorchJobs.get().reports());
    }
    return inboxes;
  }

  void end(@Observes ShutdownEvent stopped) {
    reports.stop();
  }
}
