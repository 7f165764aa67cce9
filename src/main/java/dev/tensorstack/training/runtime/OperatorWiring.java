package dev.tensorstack.training.runtime;

import dev.tensorstack.training.core.naming.Metric;
import dev.tensorstack.training.core.plan.PlanSettings;
import dev.tensorstack.training.core.policy.AcceleratorResources;
import dev.tensorstack.training.core.policy.DisruptionDelay;
import dev.tensorstack.training.core.policy.RestartDelay;
import dev.tensorstack.training.engine.EngineServices;
import dev.tensorstack.training.engine.FairWriteQueue;
import dev.tensorstack.training.engine.FreedRoom;
import dev.tensorstack.training.engine.GangQueues;
import dev.tensorstack.training.engine.Leadership;
import dev.tensorstack.training.engine.LostNodes;
import dev.tensorstack.training.engine.OperatorSettings;
import dev.tensorstack.training.engine.ReportAvailability;
import dev.tensorstack.training.progress.ProgressReports;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.api.monitoring.Metrics;
import io.javaoperatorsdk.operator.monitoring.micrometer.MicrometerMetrics;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.enterprise.inject.Disposes;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.time.Clock;

/** Puts the operator's parts together. */
public class OperatorWiring {

  /**
   * The settings as the engine wants them.
   *
   * @param configuration properties and environment variables
   * @param accelerators what counts as an accelerator
   * @return the settings
   */
  @Produces
  @Singleton
  public OperatorSettings settings(
      OperatorConfiguration configuration, AcceleratorResources accelerators) {
    return new OperatorSettings(
        configuration.podWriteParallelism(),
        configuration.statusMinInterval(),
        accelerators,
        new PlanSettings(
            new RestartDelay(configuration.restartDelayBase(), configuration.restartDelayMax()),
            configuration.nodeLossGrace(),
            configuration.agentExitGrace(),
            configuration.failureGrace(),
            configuration.plainFailureGrace(),
            new DisruptionDelay(configuration.disruptionDelayMax())),
        configuration.webhooks().url().isPresent()
            || OwnNamespace.find(configuration.namespace()).isPresent());
  }

  /**
   * What counts as an accelerator, for the engine and the webhooks.
   *
   * @param configuration properties and environment variables
   * @return the kinds of resources
   */
  @Produces
  @Singleton
  public AcceleratorResources accelerators(OperatorConfiguration configuration) {
    return new AcceleratorResources(configuration.acceleratorResources());
  }

  /**
   * What the controllers of all kinds share.
   *
   * @param client talks to the API server
   * @param settings the settings
   * @param clock the time
   * @param registry where counts go
   * @param writes the queue of all pod writes
   * @param leadership whether this process is the one that works on jobs
   * @param progress where trainings report their progress
   * @param availability whether their reports could be heard
   * @return all of it
   */
  @Produces
  @Singleton
  public EngineServices services(
      KubernetesClient client,
      OperatorSettings settings,
      Clock clock,
      MeterRegistry registry,
      FairWriteQueue writes,
      Leadership leadership,
      ProgressReports progress,
      ReportAvailability availability) {
    return new EngineServices(
        client,
        settings,
        clock,
        registry,
        writes,
        new LostNodes(clock),
        new GangQueues(client, clock),
        new FreedRoom(clock),
        leadership,
        progress::endpoint,
        availability);
  }

  /**
   * Whether the reports of trainings could be heard.
   *
   * @param clock the time
   * @param leadership says which process works on jobs
   * @param progress where trainings report their progress
   * @return hears all until it is told otherwise
   */
  @Produces
  @Singleton
  public ReportAvailability availability(
      Clock clock, Leadership leadership, ProgressReports progress) {
    return new ReportAvailability(clock, leadership, progress::endpoint, progress::listens);
  }

  /**
   * The time.
   *
   * @return the system's clock in UTC
   */
  @Produces
  @Singleton
  public Clock clock() {
    return Clock.systemUTC();
  }

  /**
   * The queue of all pod writes.
   *
   * @param settings the settings
   * @param clock the time
   * @return a queue of the settings' parallelism
   */
  @Produces
  @Singleton
  public FairWriteQueue writes(OperatorSettings settings, Clock clock) {
    return FairWriteQueue.withOwnThreads(settings.podWriteParallelism(), clock);
  }

  /**
   * Ends the queue with the operator; what is in flight is finished, the rest is planned again.
   *
   * @param writes the queue
   */
  public void stop(@Disposes FairWriteQueue writes) {
    writes.close();
  }

  /**
   * Whether this process is the one that works on jobs.
   *
   * @param registry is shown it
   * @return not yet
   */
  @Produces
  @Singleton
  public Leadership leadership(MeterRegistry registry) {
    Leadership leadership = new Leadership();
    Gauge.builder(Metric.LEADER.meter(), leadership, own -> own.leads() ? 1.0 : 0.0)
        .description(Metric.LEADER.description())
        .strongReference(true)
        .register(registry);
    return leadership;
  }

  /**
   * The framework's metrics, which are switched off in production unless a bean says otherwise.
   *
   * <p>Not MicrometerMetricsV2, which is to replace it: in version 5.3.2 it gives one counter
   * several sets of labels, Prometheus' registry refuses that with an exception, and events are
   * lost.
   *
   * @param registry where they go
   * @return metrics of reconciliations, queue and caches
   */
  @Produces
  @Singleton
  @SuppressWarnings("removal")
  public Metrics metrics(MeterRegistry registry) {
    return MicrometerMetrics.withoutPerResourceMetrics(registry);
  }
}
