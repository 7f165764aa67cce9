package dev.tensorstack.training.engine;

import dev.tensorstack.training.core.ledger.Training;
import dev.tensorstack.training.core.model.JobSummary;
import dev.tensorstack.training.core.model.ProgressPolicy;
import dev.tensorstack.training.core.model.ServiceLayout;
import dev.tensorstack.training.core.naming.Conditions;
import dev.tensorstack.training.core.naming.ObjectKind;
import dev.tensorstack.training.core.observe.GangWakes;
import dev.tensorstack.training.core.observe.Observation;
import dev.tensorstack.training.core.observe.ObservedDependents;
import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.core.observe.ObservedServices;
import dev.tensorstack.training.core.observe.OwnedBy;
import dev.tensorstack.training.core.observe.PodNotes;
import dev.tensorstack.training.core.observe.PodReader;
import dev.tensorstack.training.core.observe.ReportGap;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.core.plan.GangWake;
import dev.tensorstack.training.kind.JobKind;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.client.CustomResource;
import io.javaoperatorsdk.operator.api.config.informer.InformerEventSourceConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Constants;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.health.InformerHealthIndicator;
import io.javaoperatorsdk.operator.processing.event.EventSourceRetriever;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;
import io.javaoperatorsdk.operator.processing.event.source.informer.Mappers;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Looks at a job's world: the watch's caches, and this process's own writes before they are in. */
final class JobObserver<R extends CustomResource<?, ?>> {

  /**
   * How many objects are asked for at once at the start. A list is held in full as text before it
   * is read: in one piece, thousands of pods would take more memory than all that is kept of them.
   */
  static final long LIST_LIMIT = 500;

  private static final String BY_JOB = "job-uid";
  private static final String BY_NODE = "node";

  private static final Comparator<ObservedPod> ORDER =
      Comparator.comparing((ObservedPod pod) -> pod.replica().type())
          .thenComparing(pod -> pod.replica().index())
          .thenComparing(ObservedPod::earlierPods);

  private final JobKind<R> kind;
  private final InformerEventSource<Pod, R> pods;
  private final InformerEventSource<Service, R> services;

  private final DependentObserver<R> dependents;
  private final LostNodes lostNodes;
  private final FreedRoom room;

  /** The jobs whose gangs wait for a scheduler that has to be woken. */
  private final Set<ResourceID> gangsToWake = ConcurrentHashMap.newKeySet();

  private final Clock clock;
  private final PodEventReader troubles;
  private final PodLogs logs;
  private final PodLookup podLookup;
  private final ReportAvailability availability;
  private volatile @Nullable Instant firstLook;
  private final TrainingLogs trainingLogs;

  /**
   * An observer.
   *
   * @param kind the kind of the jobs
   * @param lostNodes says which nodes are lost
   * @param gangQueues the queues of gang schedulers
   * @param room is told when a pod leaves its node
   * @param troubles says why pods do not start
   * @param logs says why pods have failed that do not say so
   * @param enqueue is told a job of which more is known now
   * @param memories are told the last versions of pods, and which Services were removed
   * @param availability says when nobody could hear trainings report
   * @param trainingLogs finds reports in logs
   */
  JobObserver(
      JobKind<R> kind,
      EventSourceContext<R> context,
      LostNodes lostNodes,
      GangQueues gangQueues,
      FreedRoom room,
      PodEventReader troubles,
      PodLogs logs,
      Clock clock,
      Consumer<ResourceID> enqueue,
      JobMemories memories,
      ReportAvailability availability,
      TrainingLogs trainingLogs) {
    this.kind = kind;
    this.availability = availability;
    this.trainingLogs = trainingLogs;
    this.lostNodes = lostNodes;
    this.room = room;
    this.troubles = troubles;
    this.logs = logs;
    this.clock = clock;
    pods =
        new InformerEventSource<>(
            InformerEventSourceConfiguration.from(Pod.class, kind.type())
                .withName("pods")
                .withLabelSelector(kind.watchedLabels())
                .withNamespacesInheritedFromController()
                .withInformerListLimit(LIST_LIMIT)
                .withSecondaryToPrimaryMapper(Mappers.fromOwnerReferences(kind.type()))
                .withOnUpdateFilter(
                    (pod, before) -> {
                      if (isAnother(pod, before)) {
                        memories.podRemovedUnseen(before);
                      } else if (isMarked(pod) && !isMarked(before)) {
                        memories.podDeletionRequested(before);
                      }
                      if (isOnNode(before) && !isOnNode(pod)) {
                        room.freed();
                      }
                      return true;
                    })
                .withOnDeleteFilter(
                    (pod, stale) -> {
                      if (isOnNode(pod)) {
                        room.freed();
                      }
                      if (Boolean.TRUE.equals(stale)) {
                        memories.podRemovedUnseen(pod);
                      } else {
                        memories.podRemoved(pod);
                      }
                      return true;
                    })
                .build(),
            context);
    pods.addIndexers(
        Map.of(
            BY_JOB,
            JobObserver::jobKeys,
            BY_NODE,
            pod -> {
              String node = pod.getSpec() == null ? null : pod.getSpec().getNodeName();
              return node == null ? List.of() : List.of(node);
            }));
    services =
        new InformerEventSource<>(
            InformerEventSourceConfiguration.from(Service.class, kind.type())
                .withName("services")
                .withLabelSelector(kind.watchedLabels())
                .withNamespacesInheritedFromController()
                .withInformerListLimit(LIST_LIMIT)
                .withSecondaryToPrimaryMapper(Mappers.fromOwnerReferences(kind.type()))
                .withOnDeleteFilter(
                    (service, stale) -> {
                      memories.serviceRemoved(service);
                      return true;
                    })
                .build(),
            context);
    services.addIndexers(Map.of(BY_JOB, JobObserver::jobKeys));
    podLookup = new PodLookup(podCache());
    dependents = new DependentObserver<>(kind, context, services, gangQueues, clock, enqueue);
  }

  /** Whether a pod takes room: one that has ended gives it back. */
  private static boolean isOnNode(Pod pod) {
    String phase = pod.getStatus() == null ? null : pod.getStatus().getPhase();
    return pod.getSpec() != null
        && pod.getSpec().getNodeName() != null
        && !"Succeeded".equals(phase)
        && !"Failed".equals(phase);
  }

  /** A namesake after a list, when the watch was broken; or it belongs to the job no longer. */
  private static boolean isAnother(Pod pod, Pod before) {
    return !pod.getMetadata().getUid().equals(before.getMetadata().getUid())
        || !controller(pod).equals(controller(before));
  }

  /** The uid of what controls a pod. */
  private static Optional<String> controller(Pod pod) {
    return pod.getMetadata().getOwnerReferences().stream()
        .filter(owner -> Boolean.TRUE.equals(owner.getController()))
        .map(OwnerReference::getUid)
        .findFirst();
  }

  private static boolean isMarked(Pod pod) {
    return pod.getMetadata().getDeletionTimestamp() != null;
  }

  /**
   * Whether the pods of a namespace have been listed. Before that, the framework's cache cannot be
   * asked for a pod that this process has created.
   *
   * @param namespace a job's namespace
   * @return false only at the start, or while listing pods is refused
   */
  boolean hasListedPods(String namespace) {
    Map<String, InformerHealthIndicator> informers = pods.informerHealthIndicators();
    InformerHealthIndicator informer =
        informers.getOrDefault(namespace, informers.get(Constants.WATCH_ALL_NAMESPACES));
    return informer == null || informer.hasSynced();
  }

  List<EventSource<?, R>> eventSources() {
    List<EventSource<?, R>> all = new ArrayList<>(dependents.eventSources());
    all.add(pods);
    all.add(services);
    return all;
  }

  /** The API server's answer to a creation: the cache has it before the watch brings it. */
  void remember(Pod created) {
    pods.handleRecentResourceCreate(ResourceID.fromResource(created), created);
  }

  /** The API server's answer to a write of an object beside the pods. */
  void remember(ObjectKind kind, GenericKubernetesResource written) {
    dependents.remember(kind, written);
  }

  /**
   * The nodes of all pods; none before pods are watched, when all jobs are still to be looked at.
   */
  Set<String> nodes() {
    if (!pods.isRunning()) {
      return Set.of();
    }
    return pods.list()
        .map(pod -> pod.getSpec() == null ? null : pod.getSpec().getNodeName())
        .filter(Objects::nonNull)
        .collect(Collectors.toSet());
  }

  /** The jobs that have pods on a node; none before pods are watched. */
  Set<ResourceID> jobsOn(String node) {
    // Nodes are watched earlier, and of one that is lost its event comes at once.
    if (!pods.isRunning()) {
      return Set.of();
    }
    return pods.byIndex(BY_NODE, node).stream()
        .flatMap(
            pod ->
                pod.getMetadata().getOwnerReferences().stream()
                    .filter(this::isOfThisKind)
                    .map(
                        owner -> new ResourceID(owner.getName(), pod.getMetadata().getNamespace())))
        .collect(Collectors.toSet());
  }

  /**
   * The jobs whose gangs wait for a scheduler that has to be woken, to be looked at: each that
   * still waits is among them again after that, and one that is gone is not.
   */
  Set<ResourceID> takeGangsToWake() {
    Set<ResourceID> taken = Set.copyOf(gangsToWake);
    gangsToWake.removeAll(taken);
    return taken;
  }

  /** In any version: other groups have kinds of that name, too. */
  private boolean isOfThisKind(OwnerReference owner) {
    return owner.getKind().equals(kind.kind().kind())
        && owner.getApiVersion().startsWith(kind.kind().group() + "/");
  }

  /** What is seen of a job now. */
  Observation observe(TrainingJob job, JobMemory memory, EventSourceRetriever<R> sources) {
    // Asked first: a pod whose creation is answered while the caches are read must not be in none
    // of the three, creating, created and seen; it would be created again.
    Set<String> creating = memory.expectations().look();
    Collection<Pod> present = podLookup.podsOf(job, memory);
    List<ObservedPod> observed = read(present, job, memory);
    ResourceID id = new ResourceID(job.name(), job.namespace());
    boolean hasToBeWoken = GangWake.isWaiting(job.spec().scheduler(), observed);
    if (hasToBeWoken) {
      gangsToWake.add(id);
    } else {
      gangsToWake.remove(id);
    }
    ObservedDependents beside = dependents.observe(job, usesQueue(job, observed), memory, sources);
    PodLogs.Known ends = logs.of(job, observed, memory.logs());
    return new Observation(
        job,
        observed,
        services(job, memory),
        creating,
        memory.refusals().known(),
        hasToBeWoken
            ? beside.with(new GangWakes(dependents.wokenLast(beside.podGroupKind()), room.last()))
            : beside,
        notes(
            job,
            present,
            observed,
            memory,
            new PodNotes(
                memory.unpublishing().published(job, present, observed),
                troubles.of(id, observed),
                memory.creations().repeated(clock.instant()),
                ends.words(),
                ends.beingRead(),
                memory.readings().ended(),
                memory.readings().neverStarted())));
  }

  /** The caches know all jobs and pods of the kind since the first of them is looked at. */
  private Instant knownSince() {
    Instant known = firstLook;
    if (known == null) {
      known = clock.instant();
      firstLook = known;
    }
    return known;
  }

  private PodNotes notes(
      TrainingJob job,
      Collection<Pod> present,
      List<ObservedPod> observed,
      JobMemory memory,
      PodNotes known) {
    Instant since = knownSince();
    ProgressPolicy policy = job.spec().runPolicy().progress();
    ReportGap unread = trainingLogs.follow(job, observed, memory);
    if (policy.equals(ProgressPolicy.NONE)) {
      return known;
    }
    Training stored = job.ledger().training();
    return known.with(
        memory.training().since(stored == null ? null : stored.updatedAt(), clock.instant()),
        policy.logPattern() == null
            ? memory
                .training()
                .gap(availability.of(reporting(present, observed), lastReport(job, stored), since))
            : unread);
  }

  private static @Nullable Instant lastReport(TrainingJob job, @Nullable Training stored) {
    return stored == null || stored.attempt() != job.ledger().counts().attempt()
        ? null
        : stored.updatedAt();
  }

  /** The pods of a job that run. */
  private static List<Pod> reporting(Collection<Pod> present, List<ObservedPod> observed) {
    Set<String> running =
        observed.stream()
            .filter(pod -> pod.live() && pod.runningSince() != null)
            .map(ObservedPod::uid)
            .collect(Collectors.toSet());
    return present.stream().filter(pod -> running.contains(pod.getMetadata().getUid())).toList();
  }

  /** A pod of a job that works; none when there is no such pod, or it has ended. */
  Optional<ObservedPod> pod(TrainingJob job, String name) {
    return pods.get(new ResourceID(name, job.namespace()))
        .filter(pod -> OwnedBy.isOwnedBy(pod, job))
        .flatMap(pod -> PodReader.read(pod, job))
        .filter(ObservedPod::live);
  }

  private static boolean usesQueue(TrainingJob job, List<ObservedPod> pods) {
    JobSummary said = job.summary();
    return job.ledger().hold() != null
        || (said != null && Conditions.Reasons.WAITING_FOR_QUEUE.equals(said.reason()))
        || pods.stream().anyMatch(pod -> pod.queueEntry() != null);
  }

  private static List<String> jobKeys(HasMetadata owned) {
    String namespace = owned.getMetadata().getNamespace();
    return owned.getMetadata().getOwnerReferences().stream()
        .filter(owner -> Boolean.TRUE.equals(owner.getController()))
        .map(owner -> jobKey(namespace, owner.getUid()))
        .toList();
  }

  /** With the namespace: the label of a pod elsewhere may say anything. */
  private static String jobKey(String namespace, String uid) {
    return namespace + "/" + uid;
  }

  private PodLookup.Source podCache() {
    return new PodLookup.Source() {
      @Override
      public Collection<Pod> all(TrainingJob job) {
        // By the framework's own index, which forgets nothing; it hashes whole pods.
        return pods.getSecondaryResources(primary(job));
      }

      @Override
      public Collection<Pod> indexed(TrainingJob job) {
        return pods.byIndex(BY_JOB, jobKey(job.namespace(), job.uid()));
      }

      @Override
      public Optional<Pod> named(TrainingJob job, String name) {
        return pods.get(new ResourceID(name, job.namespace()));
      }
    };
  }

  private R primary(TrainingJob job) {
    try {
      R primary = kind.type().getDeclaredConstructor().newInstance();
      primary.setMetadata(
          new ObjectMetaBuilder().withNamespace(job.namespace()).withName(job.name()).build());
      return primary;
    } catch (ReflectiveOperationException noSuchConstructor) {
      throw new IllegalStateException(
          kind.type() + " cannot be made without arguments", noSuchConstructor);
    }
  }

  private List<ObservedPod> read(Collection<Pod> pods, TrainingJob job, JobMemory memory) {
    List<ObservedPod> observed = memory.readings().read(pods, job);
    observed.replaceAll(
        pod ->
            (memory.expectations().isDeleting(pod.uid()) ? pod.beingDeleted() : pod)
                .lost(lostNodes.since(pod.node(), pod.uid())));
    observed.sort(ORDER);
    return observed;
  }

  /** The one Service by its name: an index lacks for a moment what is being changed in it. */
  private ObservedServices services(TrainingJob job, JobMemory memory) {
    Map<String, String> uids = new HashMap<>();
    Set<String> deleting = new HashSet<>();
    if (job.spec().traits().services() == ServiceLayout.ONE_FOR_ALL_PODS) {
      services
          .get(new ResourceID(job.names().service(), job.namespace()))
          .filter(service -> OwnedBy.isOwnedBy(service, job))
          .ifPresent(service -> uids.put(job.names().service(), service.getMetadata().getUid()));
    } else {
      for (Service service : services.byIndex(BY_JOB, jobKey(job.namespace(), job.uid()))) {
        ObjectMeta metadata = service.getMetadata();
        if (metadata.getDeletionTimestamp() != null) {
          deleting.add(metadata.getName());
        } else if (!metadata.getName().equals(job.names().tensorboard())) {
          uids.put(metadata.getName(), metadata.getUid());
        }
      }
    }
    Set<String> inTheWay = new HashSet<>(memory.expectations().servicesSeen(uids.keySet()));
    inTheWay.addAll(deleting);
    return new ObservedServices(uids, inTheWay);
  }
}
