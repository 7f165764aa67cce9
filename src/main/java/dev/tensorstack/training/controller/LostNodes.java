package dev.tensorstack.training.controller;

import dev.tensorstack.training.observation.NodeReader;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.fabric8.kubernetes.client.informers.cache.ReducedStateItemStore;
import java.net.HttpURLConnection;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Knows which nodes are lost. An operator that may not read nodes works without: a lost node's pods
 * are then replaced once Kubernetes itself has removed them.
 */
final class LostNodes implements ResourceEventHandler<Node> {

  private static final Logger LOG = Logger.getLogger(LostNodes.class);

  /** What is kept of a node: not its images, of which there may be hundreds. */
  private static final String[] KEPT = {
    "metadata.name", "metadata.uid", "metadata.resourceVersion", "spec.taints", "status.conditions"
  };

  private static final Duration REMEMBERED = Duration.ofHours(1);

  private final Map<String, Instant> gone = new ConcurrentHashMap<>();
  private final Map<String, Instant> lostSince = new ConcurrentHashMap<>();
  private final Clock clock;
  private final Consumer<String> changed;

  /** Asked for each pod at each look; the informer's store would make a Node each time. */
  private final Set<String> known = ConcurrentHashMap.newKeySet();

  private volatile @Nullable SharedIndexInformer<Node> seen;

  /**
   * A view of the cluster's nodes.
   *
   * @param changed is told the name of a node that was lost or has come back
   */
  LostNodes(Clock clock, Consumer<String> changed) {
    this.clock = clock;
    this.changed = changed;
  }

  /**
   * Begins to watch; returns at once.
   *
   * @param complete is run once all nodes are known
   */
  void watch(KubernetesClient client, Runnable complete) {
    CompletableFuture.runAsync(() -> start(client, complete))
        .exceptionally(
            problem -> {
              LOG.warnf("nodes cannot be watched: %s", problem.getMessage());
              return null;
            });
  }

  private void start(KubernetesClient client, Runnable complete) {
    try {
      client.nodes().list(new ListOptionsBuilder().withLimit(1L).build());
    } catch (KubernetesClientException refusal) {
      if (refusal.getCode() == HttpURLConnection.HTTP_FORBIDDEN) {
        LOG.info(
            "nodes may not be read: pods of a lost node are replaced once Kubernetes removes them");
        return;
      }
      LOG.debugf("nodes cannot be read just now: %s", refusal.getMessage());
    }
    SharedIndexInformer<Node> informer =
        client
            .nodes()
            .runnableInformer(0)
            .itemStore(
                new ReducedStateItemStore<>(
                    ReducedStateItemStore.NAME_KEY_STATE,
                    Node.class,
                    client.getKubernetesSerialization(),
                    KEPT))
            .exceptionHandler((started, problem) -> true)
            .addEventHandler(this);
    informer
        .start()
        .thenRun(
            () -> {
              seen = informer;
              complete.run();
            });
  }

  /**
   * Since when a node is lost. One that does not exist, because it was deleted before this process
   * began to look, is lost from the first question on.
   *
   * @param node its name, or null
   * @return the moment, or null when it reports
   */
  @Nullable Instant since(@Nullable String node) {
    if (node == null) {
      return null;
    }
    Instant since = lostSince.get(node);
    SharedIndexInformer<Node> nodes = seen;
    if (since == null
        && nodes != null
        && !known.contains(node)
        && nodes.getStore().getByKey(node) == null) {
      since = clock.instant();
      gone.put(node, since);
      lostSince.put(node, since);
      LOG.infof("node %s does not exist", node);
    }
    return since;
  }

  @Override
  public void onAdd(Node node) {
    known.add(node.getMetadata().getName());
    see(node.getMetadata().getName(), NodeReader.lostSince(node, clock.instant()));
  }

  @Override
  public void onUpdate(Node before, Node node) {
    onAdd(node);
  }

  /** A node that is gone is lost; one of its name that comes later is another. */
  @Override
  public void onDelete(Node node, boolean unknown) {
    // Kubernetes removes the pods of a node that is gone within minutes; then nobody asks any more.
    Instant longAgo = clock.instant().minus(REMEMBERED);
    gone.forEach(
        (name, since) -> {
          if (since.isBefore(longAgo) && gone.remove(name, since)) {
            lostSince.remove(name, since);
          }
        });
    Instant now = clock.instant();
    known.remove(node.getMetadata().getName());
    gone.put(node.getMetadata().getName(), now);
    see(node.getMetadata().getName(), now);
  }

  private void see(String node, @Nullable Instant since) {
    Instant before = since == null ? lostSince.remove(node) : lostSince.put(node, since);
    if (!Objects.equals(before, since)) {
      LOG.infof(since == null ? "node %s reports again" : "node %s is lost", node);
      changed.accept(node);
    }
  }
}
