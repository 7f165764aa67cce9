package dev.tensorstack.training.engine;

import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.core.observe.Observation;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.core.plan.CurrentReplica;
import dev.tensorstack.training.core.plan.Gang;
import dev.tensorstack.training.core.plan.Plan;
import dev.tensorstack.training.core.plan.Planner;
import dev.tensorstack.training.core.pod.PodFactory;
import dev.tensorstack.training.core.policy.ReplicaLayout;
import dev.tensorstack.training.core.report.JobReport;
import dev.tensorstack.training.kind.JobKind;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.OperatorException;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ErrorStatusUpdateControl;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.IndexerResourceCache;
import io.javaoperatorsdk.operator.processing.event.source.inbound.SimpleInboundEventSource;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The story of one reconciliation: observe, validate, plan, commit decisions, execute, report. It
 * never waits for a pod or another job. A kind of job is a subclass, with the framework's settings.
 *
 * @param <R> the Java type of the jobs
 */
public abstract class JobReconciler<R extends CustomResource<?, ?>> implements Reconciler<R> {

  /** When a job is looked at again that has changed since the watch has shown it. */
  private static final Duration STALE = Duration.ofSeconds(1);

  private final JobKind<R> kind;
  private final Clock clock;
  private final Planner planner;
  private final OperatorSettings settings;
  private final StatusWriter<R> statusWriter;
  private final ActionExecutor executor;
  private final DependentWriter dependentWriter;
  private final PodUnpublisher unpublisher;
  private final JobCacheCheck<R> liveJob;
  private final PodCacheCheck livePods;
  private final UnreadableJobs<R> unreadable;
  private final JobMemories memories = new JobMemories();
  private final KubernetesClient client;
  private final ScaleReplicasWriter storedCount;
  private final LostNodes lostNodes;
  private final RequeueTimers<ResourceID> requeueTimers;
  private final JobGauges<R> gauges;
  private final Leadership leadership;
  private final SimpleInboundEventSource<R> enqueue = new SimpleInboundEventSource<>("enqueue");
  private @Nullable JobObserver<R> observer;
  private @Nullable IndexerResourceCache<R> jobs;

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
  protected JobReconciler(
      JobKind<R> kind,
      KubernetesClient client,
      OperatorSettings settings,
      Clock clock,
      MeterRegistry registry,
      FairWriteQueue writes,
      Leadership leadership) {
    JobMetrics metrics = new JobMetrics(registry);
    EventWriter events = new EventWriter(client, clock);
    this.kind = kind;
    this.client = client;
    this.clock = clock;
    this.lostNodes = new LostNodes(clock, this::lookAtJobsOn);
    this.requeueTimers = new RequeueTimers<>(clock, enqueue::propagateEvent);
    this.settings = settings;
    this.storedCount = new ScaleReplicasWriter(client, settings.webhooks());
    this.planner = new Planner(settings.plan());
    this.leadership = leadership;
    this.gauges = new JobGauges<>(kind, registry, leadership, metrics::known);
    this.statusWriter =
        new StatusWriter<>(
            kind, client, events, metrics, clock, settings.statusMinInterval(), writes::isBusy);
    this.unreadable = new UnreadableJobs<>(kind, events, metrics);
    WriteResults<R> answers = new WriteResults<>(metrics, events, () -> observer, this::enqueue);
    this.executor = new ActionExecutor(client, writes, clock, answers, this::isThere);
    this.dependentWriter = new DependentWriter(client, writes, clock, answers);
    this.unpublisher = new PodUnpublisher(client, writes, clock, answers);
    this.liveJob = new JobCacheCheck<>(kind, client);
    this.livePods = new PodCacheCheck(client);
  }

  @Override
  public List<EventSource<?, R>> prepareEventSources(EventSourceContext<R> context) {
    JobObserver<R> created =
        new JobObserver<>(
            kind,
            context,
            lostNodes,
            new PodEventReader(client, clock, enqueue::propagateEvent),
            new PodLogs(client, clock, enqueue::propagateEvent),
            clock,
            enqueue::propagateEvent);
    observer = created;
    jobs = context.getPrimaryCache();
    lostNodes.watch(client, () -> created.nodes().forEach(this::lookAtJobsOn));
    requeueTimers.start();
    gauges.start(context.getPrimaryCache()::list);
    List<EventSource<?, R>> sources = new ArrayList<>(created.eventSources());
    sources.add(enqueue);
    return sources;
  }

  @Override
  public UpdateControl<R> reconcile(R resource, Context<R> context) {
    if (!leadership.enter()) {
      return UpdateControl.noUpdate();
    }
    try {
      return lookAt(resource, context);
    } catch (KubernetesClientException | OperatorException problem) {
      if (ApiProblem.isGone(problem, kind.kind(), resource.getMetadata().getName())) {
        return UpdateControl.noUpdate();
      }
      throw problem;
    } finally {
      leadership.leave();
    }
  }

  private UpdateControl<R> lookAt(R resource, Context<R> context) {
    if (kind.unreadable(resource) != null) {
      unreadable.report(resource);
      return UpdateControl.noUpdate();
    }
    Instant now = clock.instant();
    JobMemory memory = memories.of(keyOf(resource), key -> exists(context, key));
    Duration completed =
        storedCount.store(
            kind.kind(), resource.getMetadata(), kind.missingScale(resource), memory.count(), now);
    if (!completed.isZero()) {
      return reschedule(completed);
    }
    Duration soon = memory.reconcilePace().untilNextLook(now);
    if (!soon.isZero()) {
      return reschedule(soon);
    }

    // 1. Observe.
    TrainingJob job = kind.read(resource);
    Observation seen =
        Objects.requireNonNull(observer).observe(job, memory, context.eventSourceRetriever());

    // 2. Validate: the rules that the webhooks apply, for jobs that came while these were down.
    List<Violation> violations =
        memory.checkedSpec().violations(job.generation(), () -> kind.violations(resource));

    // 3. Plan.
    Plan plan = planner.plan(seen, violations, now);
    if (plan.stage() == Plan.Stage.DELETING) {
      executor.cancelAll(job);
      requeueTimers.set(new ResourceID(job.name(), job.namespace()), null);
      return UpdateControl.noUpdate();
    }

    // What is not wanted any more leaves the queue before anything else happens, and the memory.
    memory.refusals().forget(seen.refused(), plan.refused());
    if (!executor.cancelUnwanted(job, memory, plan.actions())) {
      return reschedule(memory.reconcilePace().untilNextLook(now));
    }

    // 4. Commit: a decision is stored before anything follows from it.
    JobReport report = JobReport.of(seen, plan);
    R next = kind.reported(resource, job, report, now);
    boolean isNews = !Objects.equals(next.getStatus(), resource.getStatus());
    boolean decision = plan.ledger().differsInDecision(job.ledger());
    boolean proved = decision && isNews;
    if (!proved
        && ActionExecutor.wouldBegin(memory, plan.actions())
        && !liveJob.isAsCached(resource)) {
      return reschedule(STALE);
    }
    if (decision || ActionExecutor.wouldCreatePod(memory, plan.actions())) {
      Duration unseen = livePods.untilCached(seen, memory);
      if (!unseen.isZero()) {
        return reschedule(unseen);
      }
    }
    if (decision) {
      statusWriter.write(next, isNews, context, seen, report, memory, true);
    }

    // 5. Execute.
    if (!plan.actions().isEmpty()) {
      executor.execute(job, memory, plan.actions(), () -> podFactory(seen, plan));
      dependentWriter.execute(job, memory.dependents(), plan.actions());
      unpublisher.execute(job, memory.unpublishing(), plan.actions());
    }

    // 6. Report.
    Duration wait =
        decision
            ? Duration.ZERO
            : statusWriter.write(next, isNews, context, seen, report, memory, false);
    requeueTimers.set(new ResourceID(job.name(), job.namespace()), plan.requeueAt());
    return reschedule(wait);
  }

  private void enqueue(TrainingJob job) {
    enqueue.propagateEvent(new ResourceID(job.name(), job.namespace()));
  }

  private void lookAtJobsOn(String node) {
    if (observer != null) {
      observer.jobsOn(node).forEach(enqueue::propagateEvent);
    }
  }

  @Override
  public ErrorStatusUpdateControl<R> updateErrorStatus(
      R job, Context<R> context, Exception problem) {
    if (!ApiProblem.is(problem)) {
      unreadable.cannotBeReconciled(job, problem);
    }
    return ErrorStatusUpdateControl.defaultErrorProcessing();
  }

  private PodFactory podFactory(Observation seen, Plan plan) {
    TrainingJob job = seen.job();
    List<ReplicaId> replicas = plan.replicas().stream().map(CurrentReplica::id).toList();
    return new PodFactory(
        job,
        ReplicaLayout.of(job.spec(), replicas),
        settings.accelerators(),
        Gang.ofNewPods(seen, plan));
  }

  private static JobMemories.JobKey keyOf(CustomResource<?, ?> job) {
    ObjectMeta metadata = job.getMetadata();
    return new JobMemories.JobKey(metadata.getNamespace(), metadata.getName(), metadata.getUid());
  }

  /** Whether a job is in the cache and is not being deleted. */
  private boolean isThere(TrainingJob job) {
    return Objects.requireNonNull(jobs)
        .get(new ResourceID(job.name(), job.namespace()))
        .map(CustomResource::getMetadata)
        .filter(seen -> job.uid().equals(seen.getUid()) && seen.getDeletionTimestamp() == null)
        .isPresent();
  }

  private boolean exists(Context<R> context, JobMemories.JobKey key) {
    return context
        .getPrimaryCache()
        .get(new ResourceID(key.name(), key.namespace()))
        .filter(job -> key.uid().equals(job.getMetadata().getUid()))
        .isPresent();
  }

  /** Zero means that an event will tell when to look again. */
  private UpdateControl<R> reschedule(Duration wait) {
    UpdateControl<R> control = UpdateControl.noUpdate();
    return wait.isZero() ? control : control.rescheduleAfter(wait);
  }
}
