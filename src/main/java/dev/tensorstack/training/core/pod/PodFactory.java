package dev.tensorstack.training.core.pod;

import static java.util.Objects.requireNonNullElse;

import dev.tensorstack.training.core.model.PodContext;
import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.model.ReplicaType;
import dev.tensorstack.training.core.model.RunModeKind;
import dev.tensorstack.training.core.naming.JobLabels;
import dev.tensorstack.training.core.naming.JobNaming;
import dev.tensorstack.training.core.observe.OwnedBy;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.core.policy.AcceleratorResources;
import dev.tensorstack.training.core.policy.ReplicaLayout;
import dev.tensorstack.training.core.policy.TrainingContainer;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The pods of a job, made from the templates of its replica types (docs/concepts.md, Environment
 * and torchrun).
 */
public final class PodFactory {

  /** An annotation that kubectl reads. */
  private static final String DEFAULT_CONTAINER = "kubectl.kubernetes.io/default-container";

  private final TrainingJob job;
  private final ReplicaLayout layout;
  private final AcceleratorResources accelerators;
  private final JobNaming names;
  private final @Nullable String group;
  private final @Nullable QueuePlace queue;
  private final @Nullable ProgressEndpoint progress;

  /**
   * A factory for one job, whose pods join the job's group.
   *
   * @param job the job, its spec with all defaults and without violations
   * @param layout the replicas that shall exist
   * @param accelerators what counts as an accelerator
   */
  public PodFactory(TrainingJob job, ReplicaLayout layout, AcceleratorResources accelerators) {
    this(job, layout, accelerators, job.names().podGroup(), null, null);
  }

  /**
   * A factory for one job whose training reports nothing.
   *
   * @param job see below
   * @param layout see below
   * @param accelerators see below
   * @param group see below
   * @param queue see below
   */
  public PodFactory(
      TrainingJob job,
      ReplicaLayout layout,
      AcceleratorResources accelerators,
      @Nullable String group,
      @Nullable QueuePlace queue) {
    this(job, layout, accelerators, group, queue, null);
  }

  /**
   * A factory for one job.
   *
   * @param job the job, its spec with all defaults and without violations
   * @param layout the replicas that shall exist
   * @param accelerators what counts as an accelerator
   * @param group the group that pods join where the job has a gang scheduler; null for pods that
   *     the same scheduler shall place one by one
   * @param queue the job's place in its queue; null for a job that waits in none
   * @param progress where trainings report; null when nobody listens
   */
  public PodFactory(
      TrainingJob job,
      ReplicaLayout layout,
      AcceleratorResources accelerators,
      @Nullable String group,
      @Nullable QueuePlace queue,
      @Nullable ProgressEndpoint progress) {
    this.job = job;
    this.layout = layout;
    this.accelerators = accelerators;
    this.names = job.names();
    this.group = group;
    this.queue = queue;
    this.progress = progress;
  }

  /**
   * The pod of a replica.
   *
   * @param replica a replica of the layout
   * @param earlierPods how many pods the replica has had before
   * @param attempt the present attempt
   * @param mode what the pod is for
   * @return the pod to create
   */
  public Pod pod(ReplicaId replica, int earlierPods, int attempt, RunModeKind mode) {
    ReplicaType type = job.spec().type(replica.type());
    ObjectMeta metadata = metadata(type, replica, earlierPods, attempt, mode);
    PodSpec pod = PodTemplateCopy.of(type.template()).getSpec();
    pod.setContainers(withoutNulls(pod.getContainers()));
    pod.setInitContainers(withoutNulls(pod.getInitContainers()));
    job.spec()
        .traits()
        .pods()
        .shape(
            new PodContext(
                job.spec(),
                job.name(),
                names,
                job.uid(),
                replica,
                layout.rank(replica),
                layout.size(),
                layout.master(),
                attempt,
                mode,
                accelerators),
            pod);
    nameDefaultContainer(metadata, pod.getContainers());
    if (progress != null
        && job.spec().runPolicy().progress().reports()
        && !pod.getContainers().isEmpty()) {
      progress.tell(job, metadata, pod, training(pod.getContainers()));
    }
    job.spec().scheduler().mark(replica.type(), layout.size(), group, metadata, pod);
    if (queue != null) {
      queue.place(replica, metadata, pod);
    }
    Pod result = new Pod();
    result.setMetadata(metadata);
    result.setSpec(pod);
    return result;
  }

  /**
   * Tells {@code kubectl logs} and {@code kubectl exec} which of several containers is meant when
   * none is named, unless the template does.
   */
  private void nameDefaultContainer(ObjectMeta metadata, List<Container> containers) {
    if (containers.size() > 1) {
      String name = training(containers).getName();
      if (name != null) {
        metadata.getAnnotations().putIfAbsent(DEFAULT_CONTAINER, name);
      }
    }
  }

  private Container training(List<Container> containers) {
    return containers.get(
        TrainingContainer.indexIn(containers, job.spec().traits().trainingContainer()));
  }

  /** To the API server, a null in a list is a container of which nothing is given. */
  private static List<Container> withoutNulls(@Nullable List<Container> containers) {
    List<Container> copy = new ArrayList<>(requireNonNullElse(containers, List.of()));
    copy.replaceAll(container -> container == null ? new Container() : container);
    return copy;
  }

  private ObjectMeta metadata(
      ReplicaType type, ReplicaId replica, int earlierPods, int attempt, RunModeKind mode) {
    Map<String, String> labels = new LinkedHashMap<>();
    Map<String, String> annotations = new LinkedHashMap<>();
    ObjectMeta template = type.template().getMetadata();
    if (template != null) {
      labels.putAll(requireNonNullElse(template.getLabels(), Map.of()));
      // By these the operator knows its pods, so a template cannot claim any of them.
      labels.keySet().removeIf(job.labels()::isOperators);
      annotations.putAll(requireNonNullElse(template.getAnnotations(), Map.of()));
    }
    labels.putAll(
        job.labels()
            .ofPod(
                new JobLabels.PodRole(
                    replica.type(),
                    replica.index(),
                    attempt,
                    mode == RunModeKind.TRAIN ? null : mode.label(),
                    earlierPods),
                replica.equals(layout.master())));
    return new ObjectMetaBuilder()
        .withNamespace(job.namespace())
        .withName(names.pod(replica.type(), replica.index(), earlierPods))
        .withLabels(labels)
        .withAnnotations(annotations)
        .withOwnerReferences(OwnedBy.job(job))
        .build();
  }
}
