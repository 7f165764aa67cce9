package dev.tensorstack.training.engine;

import dev.tensorstack.training.core.observe.NodeReader;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Taint;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.fabric8.kubernetes.client.informers.cache.ReducedStateItemStore;
import java.net.HttpURLConnection;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Knows which nodes are lost, for the controllers of all kinds. A node that the watch does not know
 * may be gone, or be so new that the watch has not brought it yet: the API server is asked before a
 * pod is judged by that. An operator that may not read nodes works without: a lost node's pods are
 * then replaced once Kubernetes itself has removed them.
 */
public final class LostNodes implements ResourceEventHandler<Node> {

  private static final Logger LOG = Logger.getLogger(LostNodes.class);

  /** What is kept of a node: not its images, of which there may be hundreds. */
  private static final String[] KEPT = {
    "metadata.name",
    "metadata.uid",
    "metadata.resourceVersion",
    "spec.taints",
    "status.conditions",
    "status.allocatable"
  };

  private static final Duration REMEMBERED = Duration.ofHours(1);

  /** After an answer that a node exists of which the watch goes on to know nothing. */
  private static final Duration NEXT_QUESTION = Duration.ofSeconds(30);

  private static final int QUESTIONS_AT_ONCE = 2;

  private final Map<String, Loss> losses = new ConcurrentHashMap<>();
  private final Clock clock;
  private final List<Listener> listeners = new CopyOnWriteArrayList<>();
  private final AtomicBoolean watching = new AtomicBoolean();
  private final ScheduledExecutorService background;

  /** Asked for each pod at each look; the informer's store would make a Node each time. */
  private final Set<String> known = ConcurrentHashMap.newKeySet();

  private volatile @Nullable Cluster cluster;

  /** Is told what is new. */
  interface Listener {
    /** More is known now of the pods of a node. */
    void changed(String node);

    /** All nodes are known. */
    void complete();

    /** A node is there, or there is more of it. */
    default void hasMore() {}
  }

  /** The nodes, as the watch has brought them and as the API server knows them. */
  interface Cluster {
    /** Whether the watch has brought a node and not taken it away again. */
    boolean isWatched(String node);

    /**
     * Asks the API server.
     *
     * @return the node, if it exists
     * @throws KubernetesClientException when there is no answer
     */
    Optional<Node> ask(String node);
  }

  /** A node that is lost, or that the watch does not know. */
  private static final class Loss {
    private final Instant since;

    /** Whether the node itself is there and does not report: nobody needs to be asked. */
    private final boolean seen;

    /**
     * The pods that are lost with it, by uid. An answer holds for those that were bound before the
     * question: another node of that name may have come since.
     */
    private final Set<String> pods = ConcurrentHashMap.newKeySet();

    private Set<String> waiting = new HashSet<>();
    private boolean asking;
    private int failures;
    private Instant nextQuestion = Instant.MIN;
    private volatile Instant used;

    private Loss(Instant since, boolean seen, Instant now) {
      this.since = since;
      this.seen = seen;
      this.used = now;
    }
  }

  /**
   * A view of the cluster's nodes.
   *
   * @param clock the time
   */
  public LostNodes(Clock clock) {
    this(clock, threads());
  }

  LostNodes(Clock clock, ScheduledExecutorService background) {
    this.clock = clock;
    this.background = background;
  }

  private static ScheduledExecutorService threads() {
    ScheduledThreadPoolExecutor threads =
        new ScheduledThreadPoolExecutor(QUESTIONS_AT_ONCE, new DaemonThreads("nodes"));
    threads.setRemoveOnCancelPolicy(true);
    return threads;
  }

  /** Tells somebody from now on. */
  void listen(Listener listener) {
    listeners.add(listener);
    if (cluster != null) {
      listener.complete();
    }
  }

  private void changed(String node) {
    listeners.forEach(listener -> listener.changed(node));
  }

  /** Begins to watch, unless it has; returns at once. */
  void watch(KubernetesClient client) {
    if (!watching.compareAndSet(false, true)) {
      return;
    }
    CompletableFuture.runAsync(() -> start(client))
        .exceptionally(
            problem -> {
              LOG.warnf("nodes cannot be watched: %s", problem.getMessage());
              return null;
            });
  }

  private void start(KubernetesClient client) {
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
            // In parts: a list is held in full as text before it is read.
            .withLimit(JobObserver.LIST_LIMIT)
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
              begin(cluster(client, node -> informer.getStore().getByKey(node) != null));
              listeners.forEach(Listener::complete);
            });
  }

  private static Cluster cluster(KubernetesClient client, Predicate<String> watched) {
    return new Cluster() {
      @Override
      public boolean isWatched(String node) {
        return watched.test(node);
      }

      @Override
      public Optional<Node> ask(String node) {
        // A list, because that is a right which an operator that watches nodes has.
        return client
            .nodes()
            .list(new ListOptionsBuilder().withFieldSelector("metadata.name=" + node).build())
            .getItems()
            .stream()
            .findFirst();
      }
    };
  }

  /** The watch has brought all nodes: from now on, one that it does not know is asked for. */
  void begin(Cluster nodes) {
    cluster = nodes;
  }

  /**
   * Since when a pod's node is lost. Does not wait: while the API server is being asked, the node
   * counts as well, and the listeners are told later.
   *
   * @param node the node's name, or null
   * @param pod the pod's uid
   * @return the moment, or null when it reports or may do so; of a node that does not exist, when
   *     that was noticed first
   */
  @Nullable Instant since(@Nullable String node, String pod) {
    Cluster nodes = cluster;
    if (node == null) {
      return null;
    }
    Loss loss = losses.get(node);
    if (loss == null) {
      if (nodes == null || known.contains(node) || nodes.isWatched(node)) {
        return null;
      }
      loss = losses.computeIfAbsent(node, any -> new Loss(clock.instant(), false, clock.instant()));
    }
    loss.used = clock.instant();
    if (!loss.seen && known.contains(node)) {
      // The watch brought it at this moment.
      losses.remove(node, loss);
      return null;
    }
    if (loss.seen) {
      loss.pods.add(pod);
      return loss.since;
    }
    if (loss.pods.contains(pod)) {
      return loss.since;
    }
    if (nodes != null) {
      askFor(node, loss, pod, nodes);
    }
    return null;
  }

  private void askFor(String node, Loss loss, String pod, Cluster nodes) {
    synchronized (loss) {
      loss.waiting.add(pod);
      if (loss.asking || clock.instant().isBefore(loss.nextQuestion)) {
        return;
      }
      loss.asking = true;
    }
    background.execute(() -> ask(node, loss, nodes));
  }

  private void ask(String node, Loss loss, Cluster nodes) {
    Set<String> pods;
    synchronized (loss) {
      pods = loss.waiting;
      loss.waiting = new HashSet<>();
    }
    Duration pause = Duration.ZERO;
    try {
      if (nodes.ask(node).isEmpty()) {
        LOG.infof("node %s does not exist", node);
        loss.pods.addAll(pods);
      } else {
        LOG.infof("node %s exists, though the watch has not told of it", node);
        pause = NEXT_QUESTION;
      }
      loss.failures = 0;
    } catch (KubernetesClientException away) {
      pause = RetryDelay.after(loss.failures++);
      LOG.warnf(
          "whether node %s exists cannot be found out just now, its pods are left alone: %s",
          node, Refusals.message(away));
    } catch (RuntimeException mistake) {
      pause = RetryDelay.after(loss.failures++);
      LOG.errorf(mistake, "whether node %s exists cannot be asked, its pods are left alone", node);
    }
    synchronized (loss) {
      loss.asking = false;
      loss.nextQuestion = clock.instant().plus(pause);
    }
    // Who still wants to know asks again; nobody does once the watch has brought the node.
    background.schedule(
        () -> {
          if (losses.get(node) == loss) {
            changed(node);
          }
        },
        pause.toMillis(),
        TimeUnit.MILLISECONDS);
  }

  @Override
  public void onAdd(Node node) {
    look(node);
    listeners.forEach(Listener::hasMore);
  }

  private void look(Node node) {
    String name = node.getMetadata().getName();
    known.add(name);
    Instant since = NodeReader.lostSince(node, clock.instant());
    Loss before = losses.get(name);
    if (since == null) {
      if (losses.remove(name) != null && before != null) {
        LOG.infof(before.seen ? "node %s reports again" : "node %s is there", name);
        changed(name);
      }
    } else if (before == null || !before.seen || !before.since.equals(since)) {
      Loss loss = new Loss(since, true, clock.instant());
      if (before != null) {
        loss.pods.addAll(before.pods);
      }
      losses.put(name, loss);
      LOG.infof("node %s is lost", name);
      changed(name);
    }
  }

  @Override
  public void onUpdate(Node before, Node node) {
    look(node);
    if (!allocatable(before).equals(allocatable(node)) || !taints(before).equals(taints(node))) {
      listeners.forEach(Listener::hasMore);
    }
  }

  private static Map<String, Quantity> allocatable(Node node) {
    Map<String, Quantity> given =
        node.getStatus() == null ? null : node.getStatus().getAllocatable();
    return given == null ? Map.of() : given;
  }

  private static List<Taint> taints(Node node) {
    List<Taint> taints = node.getSpec() == null ? null : node.getSpec().getTaints();
    return taints == null ? List.of() : taints;
  }

  /**
   * A node that is gone is lost, once the API server says that no other of its name has come. What
   * was lost with it before stays lost.
   */
  @Override
  public void onDelete(Node node, boolean unknown) {
    Instant now = clock.instant();
    // Kubernetes removes the pods of a node that is gone within minutes; then nobody asks any more.
    losses.values().removeIf(loss -> !loss.seen && loss.used.isBefore(now.minus(REMEMBERED)));
    String name = node.getMetadata().getName();
    known.remove(name);
    Loss before = losses.get(name);
    Loss loss = new Loss(before == null ? now : before.since, false, now);
    if (before != null) {
      loss.pods.addAll(before.pods);
    }
    losses.put(name, loss);
    LOG.infof("node %s is deleted", name);
    changed(name);
  }
}
