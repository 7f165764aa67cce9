package dev.tensorstack.training.engine;

import dev.tensorstack.training.core.naming.ObjectKind;
import io.fabric8.kubernetes.api.model.APIResourceList;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.OperatorException;
import io.javaoperatorsdk.operator.health.Status;
import io.javaoperatorsdk.operator.processing.event.EventSourceRetriever;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Watches the kinds of PodGroups that jobs ask for, as long as the cluster serves them: they may be
 * installed and taken away while the operator runs. Nothing here waits; who asks before the answer
 * is known is told to look again.
 */
final class PodGroupSources<R extends CustomResource<?, ?>> {

  private static final Logger LOG = Logger.getLogger(PodGroupSources.class);
  private static final Duration SERVED_FOR = Duration.ofSeconds(30);
  private static final Duration MISSING_FOR = Duration.ofSeconds(4);

  private final KubernetesClient client;
  private final Clock clock;
  private final Function<ObjectKind, InformerEventSource<GenericKubernetesResource, R>> newSource;
  private final Consumer<ResourceID> enqueue;
  private final Map<ObjectKind, Kind<R>> kinds = new ConcurrentHashMap<>();
  private final ExecutorService background =
      Executors.newSingleThreadExecutor(new DaemonThreads("pod-groups"));

  /** What is known of a kind; the source is null while the cluster does not serve it. */
  private static final class Kind<R extends CustomResource<?, ?>> {
    private final Set<ResourceID> asking = ConcurrentHashMap.newKeySet();
    private volatile @Nullable InformerEventSource<GenericKubernetesResource, R> source;
    private volatile @Nullable Instant asked;
    private volatile boolean asks;
    private volatile boolean synced;
  }

  /**
   * Sources for kinds that come and go.
   *
   * @param newSource makes a source that is not started
   * @param enqueue is told the jobs that asked before the answer was known, or changed
   */
  PodGroupSources(
      KubernetesClient client,
      Clock clock,
      Function<ObjectKind, InformerEventSource<GenericKubernetesResource, R>> newSource,
      Consumer<ResourceID> enqueue) {
    this.client = client;
    this.clock = clock;
    this.newSource = newSource;
    this.enqueue = enqueue;
  }

  /**
   * The first of some kinds that the cluster serves and that is being watched.
   *
   * @param unknown gets those of which that is not known yet
   * @return the kind, or null
   */
  @Nullable ObjectKind served(
      List<ObjectKind> candidates,
      ResourceID job,
      EventSourceRetriever<R> sources,
      Set<ObjectKind> unknown) {
    for (ObjectKind candidate : candidates) {
      Kind<R> kind = kinds.computeIfAbsent(candidate, any -> new Kind<>());
      refresh(candidate, kind, sources);
      if (kind.source != null && hasSynced(kind)) {
        stopWatching(
            candidates.subList(candidates.indexOf(candidate) + 1, candidates.size()), sources);
        return candidate;
      }
      kind.asking.add(job);
      if (kind.asked == null || kind.source != null) {
        // The next one would be another version of the same objects, watched for nothing.
        unknown.add(candidate);
        return null;
      }
    }
    return null;
  }

  /** What is preferred is served by now: the cluster was upgraded. */
  private void stopWatching(List<ObjectKind> others, EventSourceRetriever<R> sources) {
    for (ObjectKind other : others) {
      Kind<R> kind = kinds.get(other);
      if (kind != null && kind.source != null) {
        background.execute(
            () -> {
              stopWatching(other, kind, sources);
              kind.asked = null; // Whether it is served is not known any more.
            });
      }
    }
  }

  private void stopWatching(ObjectKind objectKind, Kind<R> kind, EventSourceRetriever<R> sources) {
    InformerEventSource<GenericKubernetesResource, R> source = kind.source;
    if (source != null) {
      LOG.infof("%s (%s) is not watched any more", objectKind, objectKind.apiVersion());
      sources.dynamicallyDeRegisterEventSource(source.name());
      kind.source = null;
      kind.synced = false;
    }
  }

  /** A cache that was never filled shows nothing of what exists; one that was, shows enough. */
  private static boolean hasSynced(Kind<?> kind) {
    InformerEventSource<?, ?> source = kind.source;
    if (!kind.synced && source != null) {
      kind.synced = source.getStatus() == Status.HEALTHY;
    }
    return kind.synced;
  }

  /** The source of a kind; null when the cluster does not serve it. */
  @Nullable InformerEventSource<GenericKubernetesResource, R> source(ObjectKind kind) {
    Kind known = kinds.get(kind);
    return known == null ? null : known.source;
  }

  private void refresh(ObjectKind objectKind, Kind<R> kind, EventSourceRetriever<R> sources) {
    synchronized (kind) {
      Instant asked = kind.asked;
      Duration valid = kind.source == null ? MISSING_FOR : SERVED_FOR;
      if (kind.asks || (asked != null && clock.instant().isBefore(asked.plus(valid)))) {
        return;
      }
      kind.asks = true;
    }
    background.execute(
        () -> {
          try {
            ask(objectKind, kind, sources);
          } catch (KubernetesClientException | OperatorException problem) {
            LOG.warnf(
                "whether the cluster serves %s (%s) cannot be found out just now: %s",
                objectKind, objectKind.apiVersion(), problem.getMessage());
          } finally {
            kind.asks = false;
          }
        });
  }

  private void ask(ObjectKind objectKind, Kind<R> kind, EventSourceRetriever<R> sources) {
    APIResourceList served = client.getApiResources(objectKind.apiVersion());
    boolean isServed =
        served != null
            && served.getResources().stream()
                .anyMatch(resource -> objectKind.plural().equals(resource.getName()));
    boolean news = kind.asked == null || isServed != (kind.source != null);
    if (isServed && kind.source == null) {
      LOG.infof("%s (%s) is served, it is watched now", objectKind, objectKind.apiVersion());
      InformerEventSource<GenericKubernetesResource, R> source = newSource.apply(objectKind);
      sources.dynamicallyRegisterEventSource(source);
      kind.source = source;
    } else if (!isServed && kind.source != null) {
      LOG.infof("%s (%s) is not served any more", objectKind, objectKind.apiVersion());
      stopWatching(objectKind, kind, sources);
    }
    kind.asked = clock.instant();
    // Who goes on waiting asks again; who does not, because its job is gone, is forgotten.
    Set<ResourceID> asking = Set.copyOf(kind.asking);
    kind.asking.removeAll(asking);
    if (news) {
      asking.forEach(enqueue);
    }
  }
}
