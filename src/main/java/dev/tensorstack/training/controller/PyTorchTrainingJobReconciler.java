package dev.tensorstack.training.controller;

import dev.tensorstack.training.admission.Defaulter;
import dev.tensorstack.training.admission.Rules;
import dev.tensorstack.training.admission.Subject;
import dev.tensorstack.training.api.v1beta1.PyTorchTrainingJob;
import dev.tensorstack.training.api.v1beta1.PyTorchTrainingJobSpec;
import dev.tensorstack.training.api.v1beta1.PyTorchTrainingJobStatus;
import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.kind.trainingjob.SpecReader;
import dev.tensorstack.training.kind.trainingjob.StatusReader;
import dev.tensorstack.training.kind.trainingjob.StatusRendering;
import dev.tensorstack.training.kind.trainingjob.TrainingJobKind;
import dev.tensorstack.training.naming.Events;
import dev.tensorstack.training.naming.JobNames;
import dev.tensorstack.training.naming.ObjectKind;
import dev.tensorstack.training.observation.Observation;
import dev.tensorstack.training.observation.ReplicaId;
import dev.tensorstack.training.observation.TrainingJob;
import dev.tensorstack.training.plan.Gang;
import dev.tensorstack.training.plan.Plan;
import dev.tensorstack.training.plan.Planner;
import dev.tensorstack.training.plan.PresentReplica;
import dev.tensorstack.training.policy.ReplicaLayout;
import dev.tensorstack.training.report.JobEvent;
import dev.tensorstack.training.report.JobReport;
import dev.tensorstack.training.resource.PodFactory;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.OperatorException;
import io.javaoperatorsdk.operator.api.config.informer.Informer;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.ErrorStatusUpdateControl;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.IndexerResourceCache;
import io.javaoperatorsdk.operator.processing.event.source.inbound.SimpleInboundEventSource;
import io.javaoperatorsdk.operator.processing.retry.GradualRetry;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.HttpURLConnection;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The story of one reconciliation: observe, validate, plan, commit decisions, execute, report. It
 * never waits for a pod or another job.
 */
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
public class PyTorchTrainingJobReconciler implements Reconciler<PyTorchTrainingJob> {

  private static final Logger LOG = Logger.getLogger(PyTorchTrainingJobReconciler.class);

  /** When a job is looked at again that has changed since the watch has shown it. */
  private static final Duration STALE = Duration.ofSeconds(1);

  private final Clock clock;
  private final Defaulter defaulter;
  private final Planner planner;
  private final OperatorSettings settings;
  private final StatusWriter statusWriter;
  private final ActionExecutor executor;
  private final CompanionWriter companionWriter;
  private final PodUnpublisher unpublisher;
  private final LiveJob liveJob;
  private final LivePods livePods;
  private final UnreadableJobs unreadable;
  private final JobMemories memories = new JobMemories();
  private final KubernetesClient client;
  private final StoredCount storedCount;
  private final LostNodes lostNodes;
  private final WakeUps<ResourceID> wakeUps;
  private final JobGauges gauges;
  private final Leadership leadership;
  private final SimpleInboundEventSource<PyTorchTrainingJob> lookAgain =
      new SimpleInboundEventSource<>("look-again");
  private @Nullable JobObserver observer;
  private @Nullable IndexerResourceCache<PyTorchTrainingJob> jobs;

  /**
   * The controller.
   *
   * @param client talks to the API server
   * @param settings what an administrator can set
   * @param clock the time
   * @param registry where counts go
   * @param writes the queue of all pod writes
   * @param leadership whether this process is the one that works on jobs
   */
  public PyTorchTrainingJobReconciler(
      KubernetesClient client,
      OperatorSettings settings,
      Clock clock,
      MeterRegistry registry,
      FairWriteQueue writes,
      Leadership leadership) {
    JobMetrics metrics = new JobMetrics(registry);
    EventWriter events = new EventWriter(client, clock);
    this.client = client;
    this.clock = clock;
    this.lostNodes = new LostNodes(clock, this::lookAtJobsOn);
    this.wakeUps = new WakeUps<>(clock, lookAgain::propagateEvent);
    this.settings = settings;
    this.storedCount = new StoredCount(client, settings.webhooks());
    this.defaulter = new Defaulter(settings.accelerators());
    this.planner = new Planner(settings.plan());
    this.leadership = leadership;
    this.gauges = new JobGauges(registry, leadership, metrics::known);
    this.statusWriter =
        new StatusWriter(
            client, events, metrics, clock, settings.statusMinInterval(), writes::isBusy);
    this.unreadable = new UnreadableJobs(events, metrics);
    Answers answers = new Answers(metrics, events);
    this.executor = new ActionExecutor(client, writes, clock, answers, this::isThere);
    this.companionWriter = new CompanionWriter(client, writes, clock, answers);
    this.unpublisher = new PodUnpublisher(client, writes, clock, answers);
    this.liveJob = new LiveJob(client);
    this.livePods = new LivePods(client);
  }

  @Override
  public List<EventSource<?, PyTorchTrainingJob>> prepareEventSources(
      EventSourceContext<PyTorchTrainingJob> context) {
    JobObserver created =
        new JobObserver(
            context,
            lostNodes,
            new PodTroubles(client, clock, lookAgain::propagateEvent),
            clock,
            lookAgain::propagateEvent);
    observer = created;
    jobs = context.getPrimaryCache();
    lostNodes.watch(client, () -> created.nodes().forEach(this::lookAtJobsOn));
    wakeUps.start();
    gauges.start(context.getPrimaryCache()::list);
    List<EventSource<?, PyTorchTrainingJob>> sources = new ArrayList<>(created.eventSources());
    sources.add(lookAgain);
    return sources;
  }

  @Override
  public UpdateControl<PyTorchTrainingJob> reconcile(
      PyTorchTrainingJob resource, Context<PyTorchTrainingJob> context) {
    if (!leadership.enter()) {
      return UpdateControl.noUpdate();
    }
    try {
      return lookAt(resource, context);
    } catch (KubernetesClientException | OperatorException problem) {
      if (saysThatItIsGone(problem, resource.getMetadata().getName())) {
        return UpdateControl.noUpdate();
      }
      throw problem;
    } finally {
      leadership.leave();
    }
  }

  /**
   * The job was deleted meanwhile: nobody is left to report to. A subresource that is missing is
   * 404 as well, but names no object.
   */
  private static boolean saysThatItIsGone(Throwable problem, String job) {
    for (Throwable cause = problem; cause != null; cause = cause.getCause()) {
      if (cause instanceof KubernetesClientException refusal
          && refusal.getCode() == HttpURLConnection.HTTP_NOT_FOUND
          && refusal.getStatus() != null
          && refusal.getStatus().getDetails() != null
          && HasMetadata.getPlural(PyTorchTrainingJob.class)
              .equals(refusal.getStatus().getDetails().getKind())
          && job.equals(refusal.getStatus().getDetails().getName())) {
        return true;
      }
    }
    return false;
  }

  private UpdateControl<PyTorchTrainingJob> lookAt(
      PyTorchTrainingJob resource, Context<PyTorchTrainingJob> context) {
    if (resource.unreadable() != null) {
      unreadable.report(resource);
      return UpdateControl.noUpdate();
    }
    Instant now = clock.instant();
    JobMemory memory = memories.of(keyOf(resource), key -> exists(context, key));
    Duration completed = storedCount.store(resource, defaulter::complete, memory.count(), now);
    if (!completed.isZero()) {
      return reschedule(completed);
    }
    Duration soon = memory.reconcilePace().untilNextLook(now);
    if (!soon.isZero()) {
      return reschedule(soon);
    }

    // 1. Observe.
    PyTorchTrainingJobSpec spec = defaulter.complete(resource.getSpec());
    TrainingJob job = jobOf(resource, spec);
    Observation seen =
        Objects.requireNonNull(observer).observe(job, memory, context.eventSourceRetriever());

    // 2. Validate: the rules that the webhooks apply, for jobs that came while these were down.
    List<Violation> violations =
        memory
            .checkedSpec()
            .violations(job.generation(), () -> Rules.check(new Subject(job.name(), spec, null)));

    // 3. Plan.
    Plan plan = planner.plan(seen, violations, now);
    if (plan.stage() == Plan.Stage.DELETING) {
      executor.callBackAll(job);
      wakeUps.set(new ResourceID(job.name(), job.namespace()), null);
      return UpdateControl.noUpdate();
    }

    // What is not wanted any more leaves the queue before anything else happens, and the memory.
    memory.refusals().forget(seen.refused(), plan.refused());
    if (!executor.callBack(job, memory, plan.actions())) {
      return reschedule(memory.reconcilePace().untilNextLook(now));
    }

    // 4. Commit: a decision is stored before anything follows from it.
    JobReport report = JobReport.of(seen, plan);
    PyTorchTrainingJobStatus status = StatusRendering.of(job, report, resource.getStatus(), now);
    boolean decision = plan.ledger().differsInDecision(job.ledger());
    boolean proved = decision && !status.equals(resource.getStatus());
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
      statusWriter.write(resource, context, seen, report, status, memory, true);
    }

    // 5. Execute.
    if (!plan.actions().isEmpty()) {
      executor.execute(job, memory, plan.actions(), () -> podFactory(seen, plan));
      companionWriter.execute(job, memory.companions(), plan.actions());
      unpublisher.execute(job, memory.unpublishing(), plan.actions());
    }

    // 6. Report.
    Duration wait =
        decision
            ? Duration.ZERO
            : statusWriter.write(resource, context, seen, report, status, memory, false);
    wakeUps.set(new ResourceID(job.name(), job.namespace()), plan.wakeUp());
    return reschedule(wait);
  }

  private void lookAtJobsOn(String node) {
    if (observer != null) {
      observer.jobsOn(node).forEach(lookAgain::propagateEvent);
    }
  }

  @Override
  public ErrorStatusUpdateControl<PyTorchTrainingJob> updateErrorStatus(
      PyTorchTrainingJob job, Context<PyTorchTrainingJob> context, Exception problem) {
    if (!isApiProblem(problem)) {
      unreadable.cannotBeReconciled(job, problem);
    }
    return ErrorStatusUpdateControl.defaultErrorProcessing();
  }

  /** Conflicts, refusals and an API server that is away: the framework tries again. */
  private static boolean isApiProblem(Throwable problem) {
    for (Throwable cause = problem; cause != null; cause = cause.getCause()) {
      if (cause instanceof KubernetesClientException) {
        return true;
      }
    }
    return false;
  }

  private PodFactory podFactory(Observation seen, Plan plan) {
    TrainingJob job = seen.job();
    List<ReplicaId> replicas = plan.replicas().stream().map(PresentReplica::id).toList();
    return new PodFactory(
        job,
        ReplicaLayout.of(job.spec(), replicas),
        settings.accelerators(),
        Gang.ofNewPods(seen, plan));
  }

  private static TrainingJob jobOf(PyTorchTrainingJob resource, PyTorchTrainingJobSpec spec) {
    ObjectMeta metadata = resource.getMetadata();
    return new TrainingJob(
        TrainingJobKind.KIND,
        metadata.getNamespace(),
        metadata.getName(),
        metadata.getUid(),
        Objects.requireNonNullElse(metadata.getGeneration(), 0L),
        Instant.parse(metadata.getCreationTimestamp()),
        metadata.getDeletionTimestamp() != null,
        SpecReader.read(spec, Objects.requireNonNullElse(metadata.getLabels(), Map.of())),
        StatusReader.ledger(
            resource.getStatus(),
            JobNames.of(metadata.getNamespace(), metadata.getName(), metadata.getUid())),
        StatusReader.summary(resource.getStatus()));
  }

  private static JobMemories.JobKey keyOf(PyTorchTrainingJob job) {
    ObjectMeta metadata = job.getMetadata();
    return new JobMemories.JobKey(metadata.getNamespace(), metadata.getName(), metadata.getUid());
  }

  /** Whether a job is in the cache and is not being deleted. */
  private boolean isThere(TrainingJob job) {
    return Objects.requireNonNull(jobs)
        .get(new ResourceID(job.name(), job.namespace()))
        .map(PyTorchTrainingJob::getMetadata)
        .filter(seen -> job.uid().equals(seen.getUid()) && seen.getDeletionTimestamp() == null)
        .isPresent();
  }

  private static boolean exists(Context<PyTorchTrainingJob> context, JobMemories.JobKey key) {
    return context
        .getPrimaryCache()
        .get(new ResourceID(key.name(), key.namespace()))
        .filter(job -> key.uid().equals(job.getMetadata().getUid()))
        .isPresent();
  }

  /** Zero means that an event will tell when to look again. */
  private static UpdateControl<PyTorchTrainingJob> reschedule(Duration wait) {
    UpdateControl<PyTorchTrainingJob> control = UpdateControl.noUpdate();
    return wait.isZero() ? control : control.rescheduleAfter(wait);
  }

  /** Puts the answers to writes where the next reconciliation finds them. */
  private final class Answers
      implements ActionExecutor.WriteListener, CompanionWriter.Listener, PodUnpublisher.Listener {
    private final JobMetrics metrics;
    private final EventWriter events;

    private Answers(JobMetrics metrics, EventWriter events) {
      this.metrics = metrics;
      this.events = events;
    }

    @Override
    public void stillPublished(TrainingJob job, String message) {
      PyTorchTrainingJob resource = new PyTorchTrainingJob();
      resource.setMetadata(
          new ObjectMetaBuilder()
              .withNamespace(job.namespace())
              .withName(job.name())
              .withUid(job.uid())
              .build());
      int attempt = job.ledger().counts().attempt();
      try {
        events.write(resource, List.of(new JobEvent(Events.CREATE_FAILED, true, attempt, message)));
      } catch (KubernetesClientException away) {
        LOG.warnf("the event about it could not be written: %s", away.getMessage());
      }
    }

    @Override
    public void podCreated(Pod pod) {
      Objects.requireNonNull(observer).remember(pod);
      metrics.podCreated();
    }

    @Override
    public void podFound(Pod pod) {
      Objects.requireNonNull(observer).remember(pod);
    }

    @Override
    public void written(ObjectKind kind, GenericKubernetesResource answer) {
      Objects.requireNonNull(observer).remember(kind, answer);
    }

    @Override
    public void podDeleted() {
      metrics.podDeleted();
    }

    @Override
    public void lookAgain(TrainingJob job) {
      lookAgain.propagateEvent(new ResourceID(job.name(), job.namespace()));
    }
  }
}
