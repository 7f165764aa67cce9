package dev.tensorstack.training.engine;

import dev.tensorstack.training.core.model.GangFacts;
import dev.tensorstack.training.core.model.GangScheduler;
import dev.tensorstack.training.core.naming.ObjectKind;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.time.Clock;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The queues of gang schedulers. Jobs of all kinds share them: they are listed at most once in
 * {@link ClusterFacts#VALID}.
 */
public final class GangQueues {

  private final Function<ObjectKind, List<GenericKubernetesResource>> source;
  private final Clock clock;
  private final Map<ObjectKind, Known> known = new HashMap<>();

  private record Known(Map<String, GangFacts.Queue> queues, Instant asked) {}

  /**
   * The queues of a cluster.
   *
   * @param client asks for them
   * @param clock the time
   */
  public GangQueues(KubernetesClient client, Clock clock) {
    this(kind -> client.genericKubernetesResources(context(kind)).list().getItems(), clock);
  }

  /**
   * The queues of any source.
   *
   * @param source lists those of a kind; throws KubernetesClientException when the API server
   *     refuses or is away
   */
  GangQueues(Function<ObjectKind, List<GenericKubernetesResource>> source, Clock clock) {
    this.source = source;
    this.clock = clock;
  }

  private static ResourceDefinitionContext context(ObjectKind kind) {
    return new ResourceDefinitionContext.Builder()
        .withGroup(kind.group())
        .withVersion(kind.version())
        .withKind(kind.kind())
        .withPlural(kind.plural())
        .withNamespaced(false)
        .build();
  }

  /**
   * Lists the queues, or repeats an answer that still holds. Waits for the API server.
   *
   * @param scheduler a scheduler that has queues
   * @return the queues by name
   * @throws KubernetesClientException when the API server refuses or is away
   */
  synchronized Map<String, GangFacts.Queue> list(GangScheduler scheduler) {
    ObjectKind kind = Objects.requireNonNull(scheduler.queueKind());
    Instant now = clock.instant();
    @Nullable Known before = known.get(kind);
    // After now: the clock was put back.
    if (before != null
        && !before.asked().isAfter(now)
        && now.isBefore(before.asked().plus(ClusterFacts.VALID))) {
      return before.queues();
    }
    Map<String, GangFacts.Queue> queues = new HashMap<>();
    for (GenericKubernetesResource queue : source.apply(kind)) {
      queues.put(queue.getMetadata().getName(), scheduler.read(queue));
    }
    known.put(kind, new Known(queues, now));
    return queues;
  }
}
