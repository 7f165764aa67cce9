package dev.tensorstack.training.engine;

import dev.tensorstack.training.core.naming.Events;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.kind.JobKind;
import io.fabric8.kubernetes.client.CustomResource;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.IndexerResourceCache;
import io.javaoperatorsdk.operator.processing.event.source.inbound.SimpleInboundEventSource;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * What makes a job of one kind be reconciled: the watches of its objects and of nodes, timers, and
 * answers to writes. Until the framework has asked for the watches there are no caches, and no job
 * is reconciled.
 *
 * @param <R> the Java type of the jobs
 */
final class JobEventSources<R extends CustomResource<?, ?>> {

  private final JobKind<R> kind;
  private final EngineServices services;
  private final JobGauges<R> gauges;
  private final RequeueTimers<WakeUp> timers;
  private final SimpleInboundEventSource<R> enqueue = new SimpleInboundEventSource<>("enqueue");
  private final JobMemories memories;
  private final AtomicBoolean begun = new AtomicBoolean();
  private @Nullable JobObserver<R> observer;
  private @Nullable IndexerResourceCache<R> jobs;
  private final TrainingLogs trainingLogs;
  private volatile boolean paused;

  /**
   * What a job is looked at for again.
   *
   * @param job the job
   * @param beside something else than what its plan waits for: a report, another try
   */
  private record WakeUp(ResourceID job, boolean beside) {}

  /**
   * The sources of one kind.
   *
   * @param events writes events about the jobs
   * @param gauges are shown the cache of jobs
   * @param podRemoved is told the last version of a pod that was removed, before its job is looked
   *     at because of that
   */
  JobEventSources(
      JobKind<R> kind,
      EngineServices services,
      EventWriter events,
      JobGauges<R> gauges,
      JobMemories memories) {
    this.kind = kind;
    this.memories = memories;
    this.services = services;
    this.gauges = gauges;
    this.trainingLogs =
        new TrainingLogs(
            services.client(),
            services.clock(),
            new TrainingLogs.Listener() {
              @Override
              public void enqueue(ResourceID job, JobMemory memory) {
                enqueueAlsoAt(
                    job,
                    Objects.requireNonNullElse(
                        memory.statusPace().nextOfTraining(services.settings().statusMinInterval()),
                        services.clock().instant()));
              }

              @Override
              public void unreadable(TrainingJob job, String message) {
                events.tell(job, Events.LOG_UNREADABLE, message);
              }
            },
            this::isThere);
    this.timers =
        new RequeueTimers<>(services.clock(), wakeUp -> enqueue.propagateEvent(wakeUp.job()));
  }

  /** Begins to watch. */
  List<EventSource<?, R>> start(EventSourceContext<R> context) {
    JobObserver<R> created =
        new JobObserver<>(
            kind,
            context,
            services.nodes(),
            services.gangQueues(),
            services.room(),
            new PodEventReader(services.client(), services.clock(), enqueue::propagateEvent),
            new PodLogs(services.client(), services.clock(), enqueue::propagateEvent),
            services.clock(),
            enqueue::propagateEvent,
            memories,
            services.availability(),
            trainingLogs);
    // What is remembered of jobs belongs to the watches before.
    memories.clear();
    observer = created;
    jobs = context.getPrimaryCache();
    paused = false;
    if (begun.compareAndSet(false, true)) {
      listenToNodes();
      timers.start();
      trainingLogs.start();
      gauges.start(() -> paused ? null : Objects.requireNonNull(jobs).list());
    }
    services.nodes().watch(services.client());
    List<EventSource<?, R>> sources = new ArrayList<>(created.eventSources());
    sources.add(enqueue);
    return sources;
  }

  /** The watches are about to end: what the caches hold is not told any more. */
  void pause() {
    paused = true;
  }

  /** A controller that could not start is started again: what runs by then goes on. */
  private void listenToNodes() {
    services
        .nodes()
        .listen(
            new LostNodes.Listener() {
              @Override
              public void changed(String node) {
                enqueueJobsOn(node);
              }

              @Override
              public void complete() {
                observer().nodes().forEach(node -> enqueueJobsOn(node));
              }

              @Override
              public void hasMore() {
                services.room().freed();
              }
            });
    services
        .room()
        .listen(
            () -> {
              if (observer != null) {
                observer.takeGangsToWake().forEach(enqueue::propagateEvent);
              }
            });
  }

  /**
   * The caches.
   *
   * @throws NullPointerException before the start
   */
  JobObserver<R> observer() {
    return Objects.requireNonNull(observer);
  }

  /** Has a job reconciled, of which more is known now than any watch will tell. */
  void enqueue(TrainingJob job) {
    enqueue.propagateEvent(new ResourceID(job.name(), job.namespace()));
  }

  /**
   * Has a job reconciled at a moment; an earlier request is forgotten.
   *
   * @param moment when, or null for never
   */
  void enqueueAt(TrainingJob job, @Nullable Instant moment) {
    timers.set(new WakeUp(new ResourceID(job.name(), job.namespace()), false), moment);
  }

  /** Has a job reconciled at a moment, beside the one that its plan waits for. */
  void enqueueAlsoAt(ResourceID job, Instant moment) {
    timers.set(new WakeUp(job, true), moment);
  }

  /** A job in the cache; none before jobs are watched. */
  Optional<R> job(String namespace, String name) {
    IndexerResourceCache<R> cache = jobs;
    return cache == null || paused ? Optional.empty() : cache.get(new ResourceID(name, namespace));
  }

  /** Whether a job is in the cache and is not being deleted. */
  boolean isThere(TrainingJob job) {
    return Objects.requireNonNull(jobs)
        .get(new ResourceID(job.name(), job.namespace()))
        .map(CustomResource::getMetadata)
        .filter(seen -> job.uid().equals(seen.getUid()) && seen.getDeletionTimestamp() == null)
        .isPresent();
  }

  /** Whether a job is in the cache. */
  boolean exists(JobMemories.JobKey key) {
    return Objects.requireNonNull(jobs)
        .get(new ResourceID(key.name(), key.namespace()))
        .filter(job -> key.uid().equals(job.getMetadata().getUid()))
        .isPresent();
  }

  private void enqueueJobsOn(String node) {
    if (observer != null) {
      observer.jobsOn(node).forEach(enqueue::propagateEvent);
    }
  }
}
