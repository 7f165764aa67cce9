package dev.tensorstack.training.engine;

import dev.tensorstack.training.core.model.PodPriorities;
import io.fabric8.kubernetes.api.model.scheduling.v1.PriorityClass;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import java.net.HttpURLConnection;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The cluster's PriorityClasses, for the few jobs whose PodGroup depends on them. There are few and
 * their values never change, so they are listed now and then instead of being watched. Nothing here
 * waits; who asks before the first answer is told when it is there. An operator that may not list
 * them works without: all pods are then equally important.
 */
final class PriorityClasses {

  private static final Logger LOG = Logger.getLogger(PriorityClasses.class);

  /** A class that is made later than its job is missed for no longer than this. */
  static final Duration VALID = Duration.ofSeconds(30);

  private final Supplier<List<PriorityClass>> source;
  private final Clock clock;
  private final Consumer<ResourceID> enqueue;
  private final Executor background;
  private final Set<ResourceID> asking = ConcurrentHashMap.newKeySet();
  private volatile @Nullable PodPriorities known;
  private Instant next = Instant.MIN;
  private boolean asks;
  private volatile boolean refused;

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
        Executors.newSingleThreadExecutor(new DaemonThreads("priority-classes")));
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
      Executor background) {
    this.source = source;
    this.clock = clock;
    this.enqueue = enqueue;
    this.background = background;
  }

  /**
   * What is known; asks in the background when it is time.
   *
   * @param job who wants to know
   * @return null before the first answer: the job is told when it is there
   */
  @Nullable PodPriorities of(ResourceID job) {
    if (known == null) {
      asking.add(job);
    }
    Instant now = clock.instant();
    synchronized (this) {
      boolean isEarly = now.isBefore(next) && !next.isAfter(now.plus(VALID)); // a clock put back
      if (asks || isEarly) {
        return known;
      }
      asks = true;
    }
    background.execute(this::ask);
    return known;
  }

  private void ask() {
    PodPriorities before = known;
    try {
      known = read(source.get());
      refused = false;
    } catch (RuntimeException problem) {
      known = before == null ? PodPriorities.EQUAL : before;
      tell(problem);
    } finally {
      synchronized (this) {
        next = clock.instant().plus(VALID);
        asks = false;
      }
    }
    Set<ResourceID> waiting = Set.copyOf(asking);
    asking.removeAll(waiting);
    waiting.forEach(enqueue);
  }

  private void tell(RuntimeException problem) {
    if (refused) {
      return;
    }
    refused = true;
    if (problem instanceof KubernetesClientException answer
        && answer.getCode() == HttpURLConnection.HTTP_FORBIDDEN) {
      LOG.info(
          "PriorityClasses may not be listed: minResources of a PodGroup smaller than its job are"
              + " those of the Master first. Allow it to list priorityclasses.scheduling.k8s.io");
    } else {
      LOG.warnf(
          "PriorityClasses cannot be listed just now, minResources of PodGroups smaller than their"
              + " jobs go on from what was known: %s",
          problem.getMessage());
    }
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
