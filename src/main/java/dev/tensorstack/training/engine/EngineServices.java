package dev.tensorstack.training.engine;

import dev.tensorstack.training.core.pod.ProgressEndpointSource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Clock;

/**
 * What the controllers of all kinds share in one process.
 *
 * @param client talks to the API server
 * @param settings what an administrator can set
 * @param clock the time
 * @param registry where counts go
 * @param writes the queue of all pod writes
 * @param nodes which nodes are lost
 * @param gangQueues the queues of gang schedulers
 * @param room when room may have come last
 * @param leadership whether this process is the one that works on jobs
 * @param progress where trainings report their progress; says null while nobody listens
 * @param availability whether their reports could be heard
 */
public record EngineServices(
    KubernetesClient client,
    OperatorSettings settings,
    Clock clock,
    MeterRegistry registry,
    FairWriteQueue writes,
    LostNodes nodes,
    GangQueues gangQueues,
    FreedRoom room,
    Leadership leadership,
    ProgressEndpointSource progress,
    ReportAvailability availability) {}
