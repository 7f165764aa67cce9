package dev.tensorstack.training.engine;

import dev.tensorstack.training.core.model.JobQueue;
import dev.tensorstack.training.core.model.QueueFacts;
import dev.tensorstack.training.core.naming.ObjectKind;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What the cluster says of queues beside the entries of jobs, for the jobs that wait in one. */
final class QueueFactsSource {

  private static final ClusterFacts.Words<QueueFacts> WORDS =
      new ClusterFacts.Words<>(
          "what queues refer to may not be listed, so the jobs in them wait: allow the operator to"
              + " list it, as the chart does with rbac.kueue and rbac.nodes",
          "what queues refer to cannot be listed just now; new jobs in them wait for the answer",
          QueueFacts.NONE);

  private final KubernetesClient client;
  private final Clock clock;
  private final Consumer<ResourceID> enqueue;
  private final Map<ObjectKind, ClusterFacts<QueueFacts>> byEntry = new ConcurrentHashMap<>();

  /**
   * The facts of a cluster.
   *
   * @param enqueue is told the jobs that asked before the first answer
   */
  QueueFactsSource(KubernetesClient client, Clock clock, Consumer<ResourceID> enqueue) {
    this.client = client;
    this.clock = clock;
    this.enqueue = enqueue;
  }

  /**
   * What is known; asks in the background when it is time.
   *
   * @param job who wants to know
   * @param queue its queue
   * @param entry the kind of its entry
   * @param suffices whether an answer has all that the job needs
   * @return null until there is an answer that may suffice: the job is told then
   */
  @Nullable QueueFacts of(
      ResourceID job, JobQueue queue, ObjectKind entry, Predicate<QueueFacts> suffices) {
    return byEntry
        .computeIfAbsent(
            entry,
            kind ->
                new ClusterFacts<>(
                    () -> read(queue, kind),
                    WORDS,
                    clock,
                    enqueue,
                    ClusterFacts.threads("queue-facts")))
        .of(job, suffices);
  }

  private QueueFacts read(JobQueue queue, ObjectKind entry) {
    Map<ObjectKind, List<GenericKubernetesResource>> lists = new LinkedHashMap<>();
    for (ObjectKind kind : queue.factKinds(entry)) {
      ResourceDefinitionContext context =
          new ResourceDefinitionContext.Builder()
              .withGroup(kind.group())
              .withVersion(kind.version())
              .withKind(kind.kind())
              .withPlural(kind.plural())
              .withNamespaced(false)
              .build();
      lists.put(kind, client.genericKubernetesResources(context).list().getItems());
    }
    return queue.facts(lists);
  }
}
