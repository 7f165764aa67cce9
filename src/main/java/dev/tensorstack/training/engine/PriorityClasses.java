package dev.tensorstack.training.engine;

import dev.tensorstack.training.core.model.PodPriorities;
import io.fabric8.kubernetes.api.model.scheduling.v1.PriorityClass;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The cluster's PriorityClasses, for the few jobs whose PodGroup depends on them. There are few and
 * their values never change. An operator that may not list them works without: all pods are then
 * equally important, until it may.
 */
final class PriorityClasses {

  private static final ClusterFacts.Words<PodPriorities> WORDS =
      new ClusterFacts.Words<>(
          "PriorityClasses may not be listed: minResources of a PodGroup smaller than its job are"
              + " those of the Master first. Allow it to list priorityclasses.scheduling.k8s.io",
          "PriorityClasses cannot be listed just now; PodGroups that are smaller than their jobs"
              + " stay as they are, new ones wait for the answer",
          PodPriorities.EQUAL);

  private final ClusterFacts<PodPriorities> facts;

  /**
   * The classes of a cluster.
   *
   * @param enqueue is told the jobs that asked before the first answer
   */
  PriorityClasses(KubernetesClient client, Clock clock, Consumer<ResourceID> enqueue) {
    this(
        () -> client.scheduling().v1().priorityClasses().list().getItems(),
        clock,
        enqueue,
        ClusterFacts.threads("priority-classes"));
  }

  /**
   * The classes of any source.
   *
   * @param source lists them; throws KubernetesClientException when the API server refuses or is
   *     away
   */
  PriorityClasses(
      Supplier<List<PriorityClass>> source,
      Clock clock,
      Consumer<ResourceID> enqueue,
      ClusterFacts.Background background) {
    this.facts = new ClusterFacts<>(() -> read(source.get()), WORDS, clock, enqueue, background);
  }

  /**
   * What is known; asks in the background when it is time.
   *
   * @param job who wants to know
   * @param classes the classes that its pods name
   * @return null until there is an answer that may know these classes: the job is told then
   */
  @Nullable PodPriorities of(ResourceID job, Set<String> classes) {
    return facts.of(job, known -> known.values().keySet().containsAll(classes));
  }

  private static PodPriorities read(List<PriorityClass> classes) {
    Map<String, Integer> values =
        classes.stream()
            .filter(one -> one.getValue() != null)
            .collect(
                Collectors.toMap(
                    one -> one.getMetadata().getName(), PriorityClass::getValue, (a, b) -> a));
    // Of several, the lowest: as Kubernetes' admission plugin Priority chooses.
    int ofOthers =
        classes.stream()
            .filter(one -> Boolean.TRUE.equals(one.getGlobalDefault()) && one.getValue() != null)
            .mapToInt(PriorityClass::getValue)
            .min()
            .orElse(0);
    return new PodPriorities(values, ofOthers);
  }
}
