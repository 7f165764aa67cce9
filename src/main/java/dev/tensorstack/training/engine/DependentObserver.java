package dev.tensorstack.training.engine;

import dev.tensorstack.training.core.model.JobQueue;
import dev.tensorstack.training.core.model.JobSpec;
import dev.tensorstack.training.core.model.PodPriorities;
import dev.tensorstack.training.core.model.QueueFacts;
import dev.tensorstack.training.core.naming.Labels;
import dev.tensorstack.training.core.naming.ObjectKind;
import dev.tensorstack.training.core.observe.ObservedDependents;
import dev.tensorstack.training.core.observe.OwnedBy;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.core.policy.GangSize;
import dev.tensorstack.training.kind.JobKind;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.javaoperatorsdk.operator.api.config.informer.InformerEventSourceConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.processing.GroupVersionKind;
import io.javaoperatorsdk.operator.processing.event.EventSourceRetriever;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;
import io.javaoperatorsdk.operator.processing.event.source.informer.Mappers;
import java.time.Clock;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Looks at the objects beside a job's pods. */
final class DependentObserver<R extends CustomResource<?, ?>> {

  private final JobKind<R> kind;
  private final EventSourceContext<R> context;
  private final InformerEventSource<GenericKubernetesResource, R> autoscalers;
  private final @Nullable InformerEventSource<GenericKubernetesResource, R> deployments;
  private final InformerEventSource<Service, R> services;
  private final PodGroupSources<R> podGroups;
  private final PriorityClasses priorityClasses;
  private final QueueFactsSource queueFacts;
  private final QueueMadeEntries queueMade;
  private final GangFactsSource gangFacts;
  private final @Nullable TensorboardPods tensorboards;
  private final Map<ObjectKind, NewestWake> wakes = new ConcurrentHashMap<>();
  private final Clock clock;
  private final KubernetesSerialization json;

  /**
   * An observer.
   *
   * @param kind the kind of the jobs
   * @param services the watched Services of all jobs
   * @param gangQueues the queues of gang schedulers
   * @param enqueue is told a job of which more is known now
   */
  DependentObserver(
      JobKind<R> kind,
      EventSourceContext<R> context,
      InformerEventSource<Service, R> services,
      GangQueues gangQueues,
      Clock clock,
      Consumer<ResourceID> enqueue) {
    this.kind = kind;
    this.context = context;
    this.services = services;
    this.clock = clock;
    KubernetesClient client = context.getClient();
    this.json = client.getKubernetesSerialization();
    this.autoscalers = source(ObjectKind.AUTOSCALER);
    this.deployments = kind.hasTensorboard() ? source(ObjectKind.DEPLOYMENT) : null;
    this.tensorboards = kind.hasTensorboard() ? new TensorboardPods(client, clock, enqueue) : null;
    this.podGroups = new PodGroupSources<>(client, clock, this::source, enqueue);
    this.priorityClasses = new PriorityClasses(client, clock, enqueue);
    this.queueFacts = new QueueFactsSource(client, clock, enqueue);
    this.queueMade = new QueueMadeEntries(client, clock, enqueue);
    this.gangFacts = new GangFactsSource(client, gangQueues, clock, enqueue);
  }

  private InformerEventSource<GenericKubernetesResource, R> source(ObjectKind of) {
    return new InformerEventSource<>(
        InformerEventSourceConfiguration.from(
                new GroupVersionKind(of.group(), of.version(), of.kind()), kind.type())
            .withName(of.plural() + "." + of.group() + "/" + of.version())
            .withLabelSelector(kind.watchedLabels())
            .withNamespacesInheritedFromController()
            .withSecondaryToPrimaryMapper(Mappers.fromOwnerReferences(kind.type()))
            .build(),
        context);
  }

  List<EventSource<?, R>> eventSources() {
    return deployments == null ? List.of(autoscalers) : List.of(autoscalers, deployments);
  }

  /**
   * What is seen of a job's objects now.
   *
   * @param uses whether something tells that the job has, or had, entries in a queue
   */
  ObservedDependents observe(
      TrainingJob job, boolean uses, JobMemory memory, EventSourceRetriever<R> sources) {
    Set<ObjectKind> unknown = new HashSet<>();
    ResourceID id = new ResourceID(job.name(), job.namespace());
    ObjectKind podGroup = podGroups.served(job.spec().scheduler().kinds(), id, sources, unknown);
    PodPriorities priorities = PodPriorities.EQUAL;
    if (podGroup != null && GangSize.dependsOnPriorities(job.spec())) {
      priorities = priorityClasses.of(id, GangSize.priorityClasses(job.spec()));
      if (priorities == null) {
        unknown.add(podGroup);
        priorities = PodPriorities.EQUAL;
      }
    }
    List<GenericKubernetesResource> objects = new ArrayList<>();
    if (podGroup != null) {
      add(objects, job, podGroup, job.names().podGroup());
    }
    JobQueue queue = job.spec().queue();
    ObjectKind queueKind =
        queue == null
            ? leftBehind(job, uses, objects, unknown, sources)
            : queueKind(queue, job, memory, objects, unknown, sources);
    QueueFacts facts =
        queue == null || queueKind == null
            ? null
            : queueFacts.of(
                id, queue, queueKind, known -> suffices(job.spec(), queue, known, objects));
    add(objects, job, ObjectKind.AUTOSCALER, job.names().autoscaler());
    add(objects, job, ObjectKind.DEPLOYMENT, job.names().tensorboard());
    add(objects, job, ObjectKind.SERVICE, job.names().tensorboard());
    Set<String> settled = new HashSet<>();
    for (GenericKubernetesResource object : objects) {
      String key = ObservedDependents.key(object);
      if (memory.dependents().isSettled(key, object.getMetadata().getResourceVersion())) {
        settled.add(key);
      }
    }
    ObservedDependents seen =
        new ObservedDependents(objects, podGroup, unknown, settled)
            .with(priorities)
            .with(queueKind, facts);
    seen =
        seen.with(
            gangFacts.of(
                id,
                job.spec().scheduler(),
                podGroup == null ? null : seen.find(podGroup, job.names().podGroup())));
    return tensorboards == null
        ? seen
        : seen.with(
            tensorboards.of(
                job,
                seen.find(ObjectKind.DEPLOYMENT, job.names().tensorboard()),
                memory.tensorboard()));
  }

  /**
   * The kind of entry that the job has in its queue, or is to have: none where the queue has made
   * one by itself. A suspended job needs none, and the queue may not have looked at it yet.
   *
   * @param objects gets the job's entries
   * @param unknown gets the kind while it is not known whether the job needs one
   */
  private @Nullable ObjectKind queueKind(
      JobQueue queue,
      TrainingJob job,
      JobMemory memory,
      List<GenericKubernetesResource> objects,
      Set<ObjectKind> unknown,
      EventSourceRetriever<R> sources) {
    ResourceID id = new ResourceID(job.name(), job.namespace());
    Set<ObjectKind> notYet = new HashSet<>();
    ObjectKind served = podGroups.served(queue.kinds(), id, sources, notYet);
    if (served == null) {
      // Where the operator may not watch entries, a queue may still make them by itself.
      boolean isTheQueues =
          queue.mayMakeEntries()
              && notYet.contains(queue.kinds().get(0))
              && Boolean.TRUE.equals(
                  queueMade.exist(
                      job, queue.kinds().get(0), queue.labels(job.uid()), memory.queueMade()));
      if (!isTheQueues) {
        unknown.addAll(notYet);
      }
      return null;
    }
    if (addEntries(objects, job, served) || job.spec().pause()) {
      QueueMadeEntries.forget(memory.queueMade());
      return served;
    }
    if (!queue.mayMakeEntries()) {
      return served;
    }
    Boolean exists = queueMade.exist(job, served, queue.labels(job.uid()), memory.queueMade());
    if (exists == null) {
      unknown.add(served);
    }
    return Boolean.FALSE.equals(exists) ? served : null;
  }

  /**
   * The kind of entries that a job still has in a queue whose label it has lost, or may have; null
   * when it has none.
   *
   * @param uses whether something tells that the job had entries; otherwise only what is watched
   *     already is looked at
   * @param objects gets the job's entries
   * @param unknown gets the kinds while it is not known whether there are any
   */
  private @Nullable ObjectKind leftBehind(
      TrainingJob job,
      boolean uses,
      List<GenericKubernetesResource> objects,
      Set<ObjectKind> unknown,
      EventSourceRetriever<R> sources) {
    ResourceID id = new ResourceID(job.name(), job.namespace());
    if (uses) {
      Set<ObjectKind> notYet = new HashSet<>();
      ObjectKind served = podGroups.served(kind.queueKinds(), id, sources, notYet);
      unknown.addAll(notYet);
      return served == null
          ? notYet.stream().findAny().orElse(null)
          : addEntries(objects, job, served) ? served : null;
    }
    for (ObjectKind entries : kind.queueKinds()) {
      if (podGroups.source(entries) != null && addEntries(objects, job, entries)) {
        return entries;
      }
    }
    return null;
  }

  /** Whether the job has entries. */
  private boolean addEntries(
      List<GenericKubernetesResource> objects, TrainingJob job, ObjectKind entries) {
    int others = objects.size();
    for (int number = 1; number <= JobQueue.MOST_ENTRIES; number++) {
      add(objects, job, entries, job.names().queueEntry(number));
    }
    return objects.size() > others;
  }

  /**
   * When a PodGroup of any job was changed last so that its scheduler looks at gangs again.
   *
   * @param kind the kind of the PodGroups, or null
   * @return the moment that one of them tells; null when none does
   */
  @Nullable Instant wokenLast(@Nullable ObjectKind kind) {
    InformerEventSource<GenericKubernetesResource, R> groups =
        kind == null ? null : podGroups.source(kind);
    if (kind == null || groups == null) {
      return null;
    }
    return wakes
        .computeIfAbsent(kind, any -> new NewestWake(clock))
        .newest(() -> groups.list().map(DependentObserver::woken));
  }

  private static Instant woken(GenericKubernetesResource group) {
    Map<String, String> annotations = group.getMetadata().getAnnotations();
    String text = annotations == null ? null : annotations.get(Labels.WOKEN);
    try {
      return text == null ? Instant.EPOCH : Instant.parse(text);
    } catch (DateTimeParseException notATime) {
      return Instant.EPOCH;
    }
  }

  /** Whether all is known that the job's entry refers to, or will. */
  private static boolean suffices(
      JobSpec spec, JobQueue queue, QueueFacts facts, List<GenericKubernetesResource> objects) {
    return queue.missing(spec, facts) == null
        && objects.stream()
            .filter(object -> queue.kinds().get(0).kind().equals(object.getKind()))
            .allMatch(entry -> facts.flavors().keySet().containsAll(queue.flavors(entry)));
  }

  private void add(
      List<GenericKubernetesResource> objects, TrainingJob job, ObjectKind kind, String name) {
    GenericKubernetesResource object = find(kind, new ResourceID(name, job.namespace()));
    if (object != null && OwnedBy.isOwnedBy(object, job)) {
      objects.add(object);
    }
  }

  private @Nullable GenericKubernetesResource find(ObjectKind kind, ResourceID id) {
    if (kind.equals(ObjectKind.SERVICE)) {
      return services
          .get(id)
          .map(service -> json.convertValue(service, GenericKubernetesResource.class))
          .orElse(null);
    }
    InformerEventSource<GenericKubernetesResource, R> source = sourceOf(kind);
    return source == null ? null : source.get(id).orElse(null);
  }

  private @Nullable InformerEventSource<GenericKubernetesResource, R> sourceOf(ObjectKind kind) {
    if (kind.equals(ObjectKind.AUTOSCALER)) {
      return autoscalers;
    }
    return kind.equals(ObjectKind.DEPLOYMENT) ? deployments : podGroups.source(kind);
  }

  /** The API server's answer to a write: the cache has it before the watch brings it. */
  void remember(ObjectKind kind, GenericKubernetesResource answer) {
    ResourceID id = ResourceID.fromResource(answer);
    if (kind.equals(ObjectKind.SERVICE)) {
      Service service = json.convertValue(answer, Service.class);
      services.handleRecentResourceCreate(id, service);
      return;
    }
    InformerEventSource<GenericKubernetesResource, R> source = sourceOf(kind);
    if (source != null) {
      source.handleRecentResourceCreate(id, answer);
    }
    NewestWake wake = wakes.get(kind);
    if (wake != null) {
      wake.written(woken(answer));
    }
  }
}
