package dev.tensorstack.training.engine;

import dev.tensorstack.training.core.plan.Planner;
import dev.tensorstack.training.kind.JobKind;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;

/**
 * What reconciles the jobs of one kind, put together: each part does one step, and knows the kind
 * only through {@link JobKind}.
 *
 * @param <R> the Java type of the jobs
 */
public final class JobController<R extends CustomResource<?, ?>> {

  /** How many objects the watches ask for at once at the start (see the framework's annotation). */
  public static final long LIST_LIMIT = JobObserver.LIST_LIMIT;

  private final JobKind<R> kind;
  private final EngineServices services;
  private final Planner planner;
  private final JobMemories memories = new JobMemories();
  private final JobReadings<R> readings;
  private final JobEventSources<R> sources;
  private final CacheFreshness<R> freshness;
  private final PlanExecutor executor;
  private final StatusWriter<R> statusWriter;
  private final ScaleReplicasWriter scale;
  private final UnreadableJobs<R> unreadable;
  private final JobsLeftAlone<R> leftAlone;
  private final ReportReceiver reports;

  /**
   * Puts the parts together.
   *
   * @param kind the kind of the jobs
   * @param services what the controllers of all kinds share
   */
  public JobController(JobKind<R> kind, EngineServices services) {
    KubernetesClient client = services.client();
    OperatorSettings settings = services.settings();
    JobMetrics metrics =
        new JobMetrics(
            services.registry(),
            kind.kind().kind(),
            kind.framework() == null
                ? null
                : new KubeflowMetrics(services.registry(), kind.framework()));
    EventWriter events = new EventWriter(client, services.clock());
    this.kind = kind;
    this.services = services;
    this.readings = new JobReadings<>(kind);
    this.planner = new Planner(settings.plan());
    this.sources =
        new JobEventSources<>(
            kind,
            services,
            events,
            new JobGauges<>(
                kind, services.registry(), services.leadership(), metrics::known, metrics::deleted),
            memories);
    this.freshness = new CacheFreshness<>(kind, client);
    this.executor =
        new PlanExecutor(services, sources, new WriteResults<>(metrics, events, sources));
    this.statusWriter =
        new StatusWriter<>(
            kind,
            client,
            events,
            metrics,
            services.clock(),
            settings.statusMinInterval(),
            services.writes()::isBusy);
    this.reports =
        new JobReports<>(
            kind, sources, readings, memories, services.clock(), settings.statusMinInterval());
    this.scale = new ScaleReplicasWriter(client, settings.webhooks());
    this.unreadable = new UnreadableJobs<>(kind, events, metrics);
    this.leftAlone = new JobsLeftAlone<>(kind, events, memories, sources::exists);
  }

  /**
   * Where the trainings of these jobs report.
   *
   * @return takes reports whenever the jobs are worked on
   */
  public ReportReceiver reports() {
    return reports;
  }

  JobKind<R> kind() {
    return kind;
  }

  Clock clock() {
    return services.clock();
  }

  Leadership leadership() {
    return services.leadership();
  }

  Planner planner() {
    return planner;
  }

  JobMemories memories() {
    return memories;
  }

  JobReadings<R> readings() {
    return readings;
  }

  JobEventSources<R> sources() {
    return sources;
  }

  CacheFreshness<R> freshness() {
    return freshness;
  }

  PlanExecutor executor() {
    return executor;
  }

  StatusWriter<R> statusWriter() {
    return statusWriter;
  }

  UnreadableJobs<R> unreadable() {
    return unreadable;
  }

  JobsLeftAlone<R> leftAlone() {
    return leftAlone;
  }

  /**
   * Whether it is time for a look: the number that {@code scale} reads is stored first, and a job
   * is not looked at again and again in a burst of events.
   *
   * @return zero for now, else how long to wait
   */
  Duration untilDue(R resource, JobMemory memory, Instant now) {
    Duration completed =
        scale.store(
            kind.kind(),
            resource.getMetadata(),
            memory.count().missing(resource.getMetadata(), () -> kind.missingScale(resource)),
            memory.count(),
            now);
    return completed.isZero() ? memory.reconcilePace().untilNextLook(now) : completed;
  }
}
