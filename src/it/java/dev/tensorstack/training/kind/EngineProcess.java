package dev.tensorstack.training.kind;

import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.core.plan.PlanSettings;
import dev.tensorstack.training.core.pod.ProgressEndpointSource;
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
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.javaoperatorsdk.operator.Operator;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Clock;
import java.time.Duration;
import java.util.function.Function;

/** The engine with one kind of job, as a process of the operator would have it. */
public final class EngineProcess implements AutoCloseable {

  private static final OperatorSettings SETTINGS =
      new OperatorSettings(
          4,
          Duration.ofMillis(100),
          AcceleratorResources.DEFAULT,
          new PlanSettings(
              new RestartDelay(Duration.ofSeconds(1), Duration.ofSeconds(10)),
              Duration.ofSeconds(30),
              Duration.ofSeconds(30),
              Duration.ofSeconds(1),
              Duration.ZERO,
              new DisruptionDelay(Duration.ofSeconds(30))),
          false);

  private final FairWriteQueue writes = FairWriteQueue.withOwnThreads(4, Clock.systemUTC());
  private final Operator operator;

  /**
   * Starts the engine.
   *
   * @param controlPlane the cluster
   * @param namespace where it looks for jobs
   * @param reconciler makes the reconciler of the kind
   * @param <R> the Java type of the jobs
   */
  public <R extends CustomResource<?, ?>> EngineProcess(
      ControlPlane controlPlane,
      String namespace,
      Function<EngineServices, Reconciler<R>> reconciler) {
    KubernetesClient client =
        new KubernetesClientBuilder().withConfig(controlPlane.clientConfig()).build();
    Leadership leadership = new Leadership();
    operator = new Operator(overrider -> overrider.withKubernetesClient(client));
    operator.register(
        reconciler.apply(
            new EngineServices(
                client,
                SETTINGS,
                Clock.systemUTC(),
                new SimpleMeterRegistry(),
                writes,
                new LostNodes(Clock.systemUTC()),
                new GangQueues(client, Clock.systemUTC()),
                new FreedRoom(Clock.systemUTC()),
                leadership,
                ProgressEndpointSource.NONE,
                new ReportAvailability(
                    Clock.systemUTC(), leadership, ProgressEndpointSource.NONE, () -> false))),
        overrider -> overrider.settingNamespaces(namespace));
    leadership.begin(null);
    operator.start();
  }

  @Override
  public void close() {
    operator.stop();
    writes.close();
  }
}
