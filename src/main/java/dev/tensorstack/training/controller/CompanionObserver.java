package dev.tensorstack.training.controller;

import dev.tensorstack.training.api.v1beta1.PyTorchTrainingJob;
import dev.tensorstack.training.naming.Labels;
import dev.tensorstack.training.naming.ObjectKind;
import dev.tensorstack.training.observation.Companions;
import dev.tensorstack.training.observation.TrainingJob;
import dev.tensorstack.training.resource.OwnedBy;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Service;
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
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Looks at the objects beside a job's pods. */
final class CompanionObserver {

  private final EventSourceContext<PyTorchTrainingJob> context;
  private final InformerEventSource<GenericKubernetesResource, PyTorchTrainingJob> autoscalers;
  private final InformerEventSource<GenericKubernetesResource, PyTorchTrainingJob> deployments;
  private final InformerEventSource<Service, PyTorchTrainingJob> services;
  private final PodGroupSources podGroups;
  private final KubernetesSerialization json;

  /**
   * An observer.
   *
   * @param services the watched Services of all jobs
   * @param lookAgain is told a job of which more is known now
   */
  CompanionObserver(
      EventSourceContext<PyTorchTrainingJob> context,
      InformerEventSource<Service, PyTorchTrainingJob> services,
      Clock clock,
      Consumer<ResourceID> lookAgain) {
    this.context = context;
    this.services = services;
    KubernetesClient client = context.getClient();
    this.json = client.getKubernetesSerialization();
    this.autoscalers = source(ObjectKind.AUTOSCALER);
    this.deployments = source(ObjectKind.DEPLOYMENT);
    this.podGroups = new PodGroupSources(client, clock, this::source, lookAgain);
  }

  private InformerEventSource<GenericKubernetesResource, PyTorchTrainingJob> source(
      ObjectKind kind) {
    return new InformerEventSource<>(
        InformerEventSourceConfiguration.from(
                new GroupVersionKind(kind.group(), kind.version(), kind.kind()),
                PyTorchTrainingJob.class)
            .withName(kind.plural() + "." + kind.group() + "/" + kind.version())
            .withLabelSelector(Labels.JOB_UID)
            .withNamespacesInheritedFromController()
            .withSecondaryToPrimaryMapper(Mappers.fromOwnerReferences(PyTorchTrainingJob.class))
            .build(),
        context);
  }

  List<EventSource<?, PyTorchTrainingJob>> eventSources() {
    return List.of(autoscalers, deployments);
  }

  /** What is seen of a job's objects now. */
  Companions observe(
      TrainingJob job, CompanionMemory memory, EventSourceRetriever<PyTorchTrainingJob> sources) {
    Set<ObjectKind> unknown = new HashSet<>();
    ObjectKind podGroup =
        podGroups.served(
            job.spec().scheduler().kinds(),
            new ResourceID(job.name(), job.namespace()),
            sources,
            unknown);
    List<GenericKubernetesResource> objects = new ArrayList<>();
    if (podGroup != null) {
      add(objects, job, podGroup, job.names().base());
    }
    add(objects, job, ObjectKind.AUTOSCALER, job.names().autoscaler());
    add(objects, job, ObjectKind.DEPLOYMENT, job.names().tensorboard());
    add(objects, job, ObjectKind.SERVICE, job.names().tensorboard());
    Set<String> settled = new HashSet<>();
    for (GenericKubernetesResource object : objects) {
      String key = Companions.key(object);
      if (memory.isSettled(key, object.getMetadata().getResourceVersion())) {
        settled.add(key);
      }
    }
    return new Companions(objects, podGroup, unknown, settled);
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
    InformerEventSource<GenericKubernetesResource, PyTorchTrainingJob> source = sourceOf(kind);
    return source == null ? null : source.get(id).orElse(null);
  }

  private @Nullable InformerEventSource<GenericKubernetesResource, PyTorchTrainingJob> sourceOf(
      ObjectKind kind) {
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
    InformerEventSource<GenericKubernetesResource, PyTorchTrainingJob> source = sourceOf(kind);
    if (source != null) {
      source.handleRecentResourceCreate(id, answer);
    }
  }
}
