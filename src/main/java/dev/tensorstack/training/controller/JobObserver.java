package dev.tensorstack.training.controller;

import dev.tensorstack.training.api.v1beta1.PyTorchTrainingJob;
import dev.tensorstack.training.naming.JobNames;
import dev.tensorstack.training.naming.Labels;
import dev.tensorstack.training.naming.ObjectKind;
import dev.tensorstack.training.observation.Observation;
import dev.tensorstack.training.observation.ObservedPod;
import dev.tensorstack.training.observation.PodNotes;
import dev.tensorstack.training.observation.TrainingJob;
import dev.tensorstack.training.resource.OwnedBy;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Service;
import io.javaoperatorsdk.operator.api.config.informer.InformerEventSourceConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.processing.event.EventSourceRetriever;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;
import io.javaoperatorsdk.operator.processing.event.source.informer.Mappers;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** Looks at a job's world: the watch's caches, and this process's own writes before they are in. */
final class JobObserver {

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

  private final InformerEventSource<Pod, PyTorchTrainingJob> pods;
  private final InformerEventSource<Service, PyTorchTrainingJob> services;

  private final CompanionObserver companions;
  private final LostNodes lostNodes;
  private final Clock clock;
  private final PodTroubles troubles;
  private final PodLookup podLookup = new PodLookup(podCache());

  /**
   * An observer.
   *
   * @param lostNodes says which nodes are lost
   * @param troubles says why pods do not start
   * @param lookAgain is told a job of which more is known now
   */
  JobObserver(
      EventSourceContext<PyTorchTrainingJob> context,
      LostNodes lostNodes,
      PodTroubles troubles,
      Clock clock,
      Consumer<ResourceID> lookAgain) {
    this.lostNodes = lostNodes;
    this.troubles = troubles;
    this.clock = clock;
    pods =
        new InformerEventSource<>(
            InformerEventSourceConfiguration.from(Pod.class, PyTorchTrainingJob.class)
                .withName("pods")
                .withLabelSelector(Labels.JOB_UID)
                .withNamespacesInheritedFromController()
                .withInformerListLimit(LIST_LIMIT)
                .withSecondaryToPrimaryMapper(Mappers.fromOwnerReferences(PyTorchTrainingJob.class))
                .build(),
            context);
    pods.addIndexers(
        Map.of(
            BY_JOB,
            pod -> {
              String uid = pod.getMetadata().getLabels().get(Labels.JOB_UID);
              return uid == null
                  ? List.of()
                  : List.of(jobKey(pod.getMetadata().getNamespace(), Labels.jobUid(uid)));
            },
            BY_NODE,
            pod -> {
              String node = pod.getSpec() == null ? null : pod.getSpec().getNodeName();
              return node == null ? List.of() : List.of(node);
            }));
    services =
        new InformerEventSource<>(
            InformerEventSourceConfiguration.from(Service.class, PyTorchTrainingJob.class)
                .withName("services")
                .withLabelSelector(Labels.JOB_UID)
                .withNamespacesInheritedFromController()
                .withInformerListLimit(LIST_LIMIT)
                .withSecondaryToPrimaryMapper(Mappers.fromOwnerReferences(PyTorchTrainingJob.class))
                .build(),
            context);
    companions = new CompanionObserver(context, services, clock, lookAgain);
  }

  List<EventSource<?, PyTorchTrainingJob>> eventSources() {
    List<EventSource<?, PyTorchTrainingJob>> all = new ArrayList<>(companions.eventSources());
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
    companions.remember(kind, written);
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
                    .filter(
                        owner ->
                            owner.getKind().equals(HasMetadata.getKind(PyTorchTrainingJob.class)))
                    .map(
                        owner -> new ResourceID(owner.getName(), pod.getMetadata().getNamespace())))
        .collect(Collectors.toSet());
  }

  /** What is seen of a job now. */
  Observation observe(
      TrainingJob job, JobMemory memory, EventSourceRetriever<PyTorchTrainingJob> sources) {
    // Asked first: a pod whose creation is answered while the caches are read must not be in none
    // of the three, creating, created and seen; it would be created again.
    Set<String> creating = memory.expectations().look();
    Collection<Pod> present = podLookup.podsOf(job, memory);
    List<ObservedPod> observed = read(present, job.names(), memory);
    return new Observation(
        job,
        observed,
        serviceExists(job, memory),
        creating,
        memory.refusals().known(),
        companions.observe(job, memory.companions(), sources),
        new PodNotes(
            memory.unpublishing().published(job.uid(), present, observed),
            troubles.of(new ResourceID(job.name(), job.namespace()), observed),
            memory.creations().repeated(clock.instant())));
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
        PyTorchTrainingJob primary = new PyTorchTrainingJob();
        primary.setMetadata(
            new ObjectMetaBuilder().withNamespace(job.namespace()).withName(job.name()).build());
        return pods.getSecondaryResources(primary);
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

  private List<ObservedPod> read(Collection<Pod> pods, JobNames names, JobMemory memory) {
    List<ObservedPod> observed = memory.readings().read(pods, names);
    observed.replaceAll(
        pod ->
            (memory.expectations().isDeleting(pod.uid()) ? pod.beingDeleted() : pod)
                .lost(lostNodes.since(pod.node(), pod.uid())));
    observed.sort(ORDER);
    return observed;
  }

  private boolean serviceExists(TrainingJob job, JobMemory memory) {
    boolean seen =
        services
            .get(new ResourceID(job.names().service(), job.namespace()))
            .filter(service -> OwnedBy.isOwnedBy(service, job))
            .isPresent();
    if (seen) {
      memory.expectations().serviceSeen();
    }
    return seen || memory.expectations().serviceSent();
  }
}
