package dev.tensorstack.training.localnode;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A node of a cluster that runs its pods as processes of this machine. See the package for what it
 * does differently from a kubelet.
 */
public final class LocalNode implements AutoCloseable {
  private final LocalNodeOptions options;
  private final NodeDirectory directory;
  private final LogServer logServer;
  private final NodeHeartbeat heartbeat;
  private final NodePods pods;
  private final @Nullable KubernetesClient ownClient;
  private @Nullable SharedIndexInformer<Pod> informer;
  private volatile boolean connected = true;
  private boolean closed;

  private LocalNode(
      KubernetesClient client, LocalNodeOptions options, @Nullable KubernetesClient ownClient)
      throws IOException {
    this.options = options;
    this.ownClient = ownClient;
    Path state = options.stateDirectory();
    this.directory =
        new NodeDirectory(
            state == null
                ? Files.createTempDirectory("node")
                : NodeDirectory.create(state.toAbsolutePath().normalize()));
    NodeContext context =
        new NodeContext(
            options,
            new PodApi(client),
            ClusterObjects.of(client),
            PodAddresses.of(client.getMasterUrl().toString()),
            directory,
            () -> connected);
    this.pods = new NodePods(options.name(), context);
    this.logServer = new LogServer(options.name(), options.port(), pods);
    this.heartbeat = new NodeHeartbeat(client, options, logServer.port(), () -> connected);
  }

  /**
   * Starts a node with a client of its own.
   *
   * @param config how to reach the API server, with the rights of an administrator
   * @param options the node's name and the rest
   * @return the node, registered and taking pods; to be closed
   * @throws UncheckedIOException if the port is taken or the state directory cannot be made
   * @throws io.fabric8.kubernetes.client.KubernetesClientException if the API server refuses
   */
  public static LocalNode start(Config config, LocalNodeOptions options) {
    KubernetesClient client = new KubernetesClientBuilder().withConfig(config).build();
    try {
      return start(client, options, client);
    } catch (RuntimeException e) {
      client.close();
      throw e;
    }
  }

  /**
   * Starts a node with a client that is used by others too.
   *
   * @param client a client with the rights of an administrator, left open when the node is closed
   * @param options the node's name and the rest
   * @return the node, registered and taking pods; to be closed
   * @throws UncheckedIOException if the port is taken or the state directory cannot be made
   * @throws io.fabric8.kubernetes.client.KubernetesClientException if the API server refuses
   */
  public static LocalNode start(KubernetesClient client, LocalNodeOptions options) {
    return start(client, options, null);
  }

  private static LocalNode start(
      KubernetesClient client, LocalNodeOptions options, @Nullable KubernetesClient own) {
    try {
      LocalNode node = new LocalNode(client, options, own);
      try {
        node.heartbeat.start();
        node.informer =
            client
                .pods()
                .inAnyNamespace()
                .withField("spec.nodeName", options.name())
                .inform(node.pods);
      } catch (RuntimeException e) {
        node.close();
        throw e;
      }
      return node;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * The Node's name.
   *
   * @return never null
   */
  public String name() {
    return options.name();
  }

  /**
   * The log server's port on 127.0.0.1.
   *
   * @return a TCP port
   */
  public int port() {
    return logServer.port();
  }

  /**
   * The directory that stands for a claim, to put data in or to look at what a pod has written.
   *
   * @param namespace the claim's namespace
   * @param claim its name
   * @return an existing directory
   */
  public Path claimDirectory(String namespace, String claim) {
    return directory.claim(namespace, claim);
  }

  /**
   * The directory of a pod on this node; {@code work} in it is the default working directory.
   *
   * @param namespace the pod's namespace
   * @param pod its name
   * @return an existing directory, removed when the pod is deleted
   * @throws IllegalStateException if the node has no such pod
   */
  public Path podDirectory(String namespace, String pod) {
    return directory.pod(pods.worker(namespace, pod).pod().getMetadata().getUid());
  }

  /**
   * The processes of a pod on this node.
   *
   * @param namespace the pod's namespace
   * @param pod its name
   * @return process ids, empty when nothing runs
   * @throws IllegalStateException if the node has no such pod
   */
  public Set<Long> processes(String namespace, String pod) {
    return pods.worker(namespace, pod).processes();
  }

  /**
   * Sends a signal to a container's main process, as a fault from outside.
   *
   * @param namespace the pod's namespace
   * @param pod its name
   * @param container the container's name
   * @param signal the signal's name without {@code SIG}, such as {@code KILL}, or its number
   * @throws IllegalStateException if there is no such container or it is not running
   * @throws IllegalArgumentException if there is no such signal
   */
  public void killContainer(String namespace, String pod, String container, String signal) {
    pods.run(namespace, pod, container).signal(signal);
  }

  /**
   * Ends a container as if it had used more memory than its limit: all its processes are killed,
   * and the status says {@code OOMKilled} with exit code 137.
   *
   * @param namespace the pod's namespace
   * @param pod its name
   * @param container the container's name
   * @throws IllegalStateException if there is no such container or it is not running
   */
  public void oomKill(String namespace, String pod, String container) {
    pods.run(namespace, pod, container).playOutOfMemory();
  }

  /**
   * Plays a node that the API server cannot reach any more: no heartbeats, no statuses, and nothing
   * that is asked of it is done. Its processes go on.
   */
  public void markLost() {
    connected = false;
  }

  /** Ends {@link #markLost}: the node reports again, and does what it has missed. */
  public void returnFromLoss() {
    connected = true;
    heartbeat.beatNow();
    SharedIndexInformer<Pod> informed = informer;
    if (informed != null) {
      pods.catchUp(informed.getStore().list());
    }
  }

  /**
   * Stops the node as a machine that is switched off: all processes are killed and nothing is
   * reported; Node and pods stay in the API server.
   */
  @Override
  public void close() {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
    }
    connected = false;
    heartbeat.close();
    SharedIndexInformer<Pod> informed = informer;
    if (informed != null) {
      informed.close();
    }
    logServer.close();
    pods.halt();
    if (options.stateDirectory() == null) {
      NodeDirectory.delete(directory.root());
    }
    if (ownClient != null) {
      ownClient.close();
    }
  }
}
