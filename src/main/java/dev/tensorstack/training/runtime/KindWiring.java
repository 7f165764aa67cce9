package dev.tensorstack.training.runtime;

import dev.tensorstack.training.core.naming.ObjectKind;
import dev.tensorstack.training.core.policy.AcceleratorResources;
import dev.tensorstack.training.engine.EngineServices;
import dev.tensorstack.training.engine.JobController;
import dev.tensorstack.training.engine.JobReconciler;
import dev.tensorstack.training.engine.Leadership;
import dev.tensorstack.training.engine.ReportReceiver;
import dev.tensorstack.training.kind.ClusterDefaults;
import dev.tensorstack.training.kind.JobAdmission;
import dev.tensorstack.training.kind.JobKind;
import dev.tensorstack.training.kind.pytorchjob.PyTorchJobAdmission;
import dev.tensorstack.training.kind.pytorchjob.PyTorchJobKind;
import dev.tensorstack.training.kind.pytorchjob.PyTorchJobSettings;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJob;
import dev.tensorstack.training.kind.trainingjob.TrainingJobAdmission;
import dev.tensorstack.training.kind.trainingjob.TrainingJobDefaults;
import dev.tensorstack.training.kind.trainingjob.TrainingJobKind;
import dev.tensorstack.training.kind.trainingjob.admission.SchedulerSetting;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJob;
import dev.tensorstack.training.progress.ReportReceivers;
import dev.tensorstack.training.runtime.KindControllers.ServedKind;
import dev.tensorstack.training.webhook.AdmittedKinds;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.Operator;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkiverse.operatorsdk.runtime.QuarkusConfigurationService;
import jakarta.enterprise.inject.Instance;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Puts the kinds of jobs together: the only place that names them all. */
public class KindWiring {

  /**
   * The kinds that this operator works on.
   *
   * @param configuration properties and environment variables
   * @return at least one
   * @throws IllegalArgumentException when the setting is wrong
   */
  @Produces
  @Singleton
  public ServedKinds served(OperatorConfiguration configuration) {
    return ServedKinds.of(configuration.kinds());
  }

  /**
   * The framework, with no controller yet instead of with all that there are.
   *
   * @param configuration the framework's own, made when the program was built
   * @return not started
   */
  @Produces
  @Singleton
  public Operator operator(QuarkusConfigurationService configuration) {
    return new Operator(configuration);
  }

  /**
   * The controllers of the served kinds.
   *
   * @param client talks to the API server
   * @param operator the framework
   * @param configuration the framework's own
   * @param leadership whether this process works on jobs
   * @param states is told what keeps a kind from being worked on
   * @param registry where the framework's metrics go
   * @param settings properties and environment variables
   * @param clock the time
   * @param served the kinds that this operator works on
   * @param trainingJobs the controller of one kind; made when it is asked for
   * @param pyTorchJobs that of the other
   * @return not started
   */
  @Produces
  @Singleton
  public KindControllers controllers(
      KubernetesClient client,
      Operator operator,
      QuarkusConfigurationService configuration,
      Leadership leadership,
      KindStates states,
      MeterRegistry registry,
      OperatorConfiguration settings,
      Clock clock,
      ServedKinds served,
      Instance<PyTorchTrainingJobReconciler> trainingJobs,
      Instance<PyTorchJobReconciler> pyTorchJobs) {
    List<ServedKind> kinds = new ArrayList<>();
    if (served.includes(ServedKinds.TRAINING_JOB)) {
      JobReconciler<?> reconciler = trainingJobs.get();
      ObjectKind kind = reconciler.kind();
      kinds.add(
          new ServedKind(
              reconciler,
              List.of(new CrdIsServed(client, kind), new CrdKeepsLedger(client, kind))));
    }
    if (served.includes(ServedKinds.PYTORCH_JOB)) {
      JobReconciler<?> reconciler = pyTorchJobs.get();
      ObjectKind kind = reconciler.kind();
      List<StartCondition> conditions = new ArrayList<>();
      conditions.add(new CrdIsServed(client, kind));
      if (settings.pyTorchJobs().trainingOperatorCheck()) {
        conditions.add(new NoTrainingOperator(client, clock));
      }
      conditions.add(new CrdKeepsLedger(client, kind));
      kinds.add(new ServedKind(reconciler, conditions));
    }
    return new KindControllers(
        client, operator, configuration, leadership, states, new ControllerGauges(registry), kinds);
  }

  /**
   * What keeps kinds from being worked on.
   *
   * @param client writes events
   * @param settings properties and environment variables
   * @param clock the time
   * @param leadership whether this process works on jobs
   * @param registry shows it as a metric
   * @param served the kinds that this operator works on
   * @return nothing yet
   */
  @Produces
  @Singleton
  public KindStates states(
      KubernetesClient client,
      OperatorConfiguration settings,
      Clock clock,
      Leadership leadership,
      MeterRegistry registry,
      ServedKinds served) {
    KindStates states =
        new KindStates(new OperatorEvents(client, clock, OwnPod.find(settings)), leadership);
    served.names().forEach(kind -> states.register(registry, kind));
    return states;
  }

  /**
   * The kinds whose webhooks are served.
   *
   * @param served the kinds that this operator works on
   * @param accelerators what counts as an accelerator
   * @param settings the settings of the kind {@code PyTorchJob}
   * @param configuration properties and environment variables
   * @return their defaults, rules and warnings
   * @throws IllegalArgumentException when a setting is wrong
   */
  @Produces
  @Singleton
  public AdmittedKinds admitted(
      ServedKinds served,
      AcceleratorResources accelerators,
      PyTorchJobSettings settings,
      OperatorConfiguration configuration) {
    ClusterDefaults defaults = DefaultsConfiguration.ofAllKinds(configuration.defaults());
    Map<String, JobAdmission<?, ?>> kinds = new HashMap<>();
    if (served.includes(ServedKinds.TRAINING_JOB)) {
      kinds.put(
          "",
          new TrainingJobAdmission(
              accelerators,
              new TrainingJobDefaults(
                  defaults,
                  DefaultsConfiguration.tensorboardImage(configuration.defaults()),
                  SchedulerSetting.of(configuration.defaults().scheduler().orElse("")))));
    }
    if (served.includes(ServedKinds.PYTORCH_JOB)) {
      kinds.put(PyTorchJobAdmission.KIND.plural(), new PyTorchJobAdmission(settings, defaults));
    }
    return new AdmittedKinds(kinds);
  }

  /**
   * Where the trainings of the served kinds report.
   *
   * @param served the kinds that this operator works on
   * @param trainingJobs takes the reports of one kind; made when it is asked for
   * @param pyTorchJobs those of the other
   * @return the receivers, by the plural of the kind
   */
  @Produces
  @Singleton
  public ReportReceivers receivers(
      ServedKinds served,
      Instance<JobController<PyTorchTrainingJob>> trainingJobs,
      Instance<JobController<PyTorchJob>> pyTorchJobs) {
    Map<String, ReportReceiver> receivers = new HashMap<>();
    if (served.includes(ServedKinds.TRAINING_JOB)) {
      receivers.put(TrainingJobKind.KIND.plural(), trainingJobs.get().reports());
    }
    if (served.includes(ServedKinds.PYTORCH_JOB)) {
      receivers.put(PyTorchJobAdmission.KIND.plural(), pyTorchJobs.get().reports());
    }
    return new ReportReceivers(receivers);
  }

  /**
   * The kind {@code PyTorchTrainingJob}.
   *
   * @param accelerators what counts as an accelerator
   * @return the kind
   */
  @Produces
  @Singleton
  public JobKind<PyTorchTrainingJob> trainingJobs(AcceleratorResources accelerators) {
    return new TrainingJobKind(accelerators);
  }

  /**
   * What reconciles jobs of the kind {@code PyTorchTrainingJob}.
   *
   * @param kind the kind
   * @param services what the controllers of all kinds share
   * @return its parts, put together
   */
  @Produces
  @Singleton
  public JobController<PyTorchTrainingJob> trainingJobController(
      JobKind<PyTorchTrainingJob> kind, EngineServices services) {
    return new JobController<>(kind, services);
  }

  /**
   * The settings of the kind {@code PyTorchJob}.
   *
   * @param configuration properties and environment variables
   * @return the settings
   * @throws IllegalArgumentException when a setting is wrong
   */
  @Produces
  @Singleton
  public PyTorchJobSettings pyTorchJobSettings(OperatorConfiguration configuration) {
    return PyTorchJobConfiguration.of(configuration.pyTorchJobs());
  }

  /**
   * The kind {@code PyTorchJob}.
   *
   * @param settings its settings
   * @return the kind
   */
  @Produces
  @Singleton
  public JobKind<PyTorchJob> pyTorchJobs(PyTorchJobSettings settings) {
    return new PyTorchJobKind(settings);
  }

  /**
   * What reconciles jobs of the kind {@code PyTorchJob}.
   *
   * @param kind the kind
   * @param services what the controllers of all kinds share
   * @return its parts, put together
   */
  @Produces
  @Singleton
  public JobController<PyTorchJob> pyTorchJobController(
      JobKind<PyTorchJob> kind, EngineServices services) {
    return new JobController<>(kind, services);
  }
}
