package dev.tensorstack.training.localnode;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

/** The pods of one node: takes what the API server tells, and finds pods by name. */
final class NodePods implements ResourceEventHandler<Pod>, LogServer.Logs {
  private final String node;
  private final NodeContext context;
  private final Map<String, PodWorker> workers = new ConcurrentHashMap<>();
  private boolean halted;

  /**
   * A node without pods.
   *
   * @param node the Node's name
   * @param context what the pods share
   */
  NodePods(String node, NodeContext context) {
    this.node = node;
    this.context = context;
  }

  @Override
  public void onAdd(Pod pod) {
    bound(pod);
  }

  @Override
  public void onUpdate(Pod before, Pod pod) {
    if (!before.getMetadata().getUid().equals(pod.getMetadata().getUid())) {
      onDelete(before, false);
    }
    bound(pod);
  }

  @Override
  public void onDelete(Pod pod, boolean unknown) {
    String uid = pod.getMetadata().getUid();
    PodWorker worker = context.connected().getAsBoolean() ? workers.get(uid) : null;
    if (worker != null) {
      worker.gone();
      removeFinished(uid);
    }
  }

  /**
   * Does what was missed while the node was not connected.
   *
   * @param pods all pods that are bound to the node now
   */
  void catchUp(List<Pod> pods) {
    Set<String> present = new TreeSet<>();
    for (Pod pod : pods) {
      present.add(pod.getMetadata().getUid());
      bound(pod);
    }
    workers.forEach(
        (uid, worker) -> {
          if (!present.contains(uid)) {
            onDelete(worker.pod(), false);
          }
        });
  }

  /** Kills everything, and takes no more pods. */
  void halt() {
    synchronized (this) {
      halted = true;
    }
    workers.values().parallelStream().forEach(PodWorker::halt);
  }

  /**
   * Finds a pod.
   *
   * @param namespace its namespace
   * @param pod its name
   * @return the pod
   * @throws IllegalStateException if the node has no such pod
   */
  PodWorker worker(String namespace, String pod) {
    return find(namespace, pod)
        .orElseThrow(
            () -> new IllegalStateException(node + " has no pod " + namespace + "/" + pod));
  }

  /**
   * Finds a container.
   *
   * @param namespace the pod's namespace
   * @param pod its name
   * @param container the container's name
   * @return the container
   * @throws IllegalStateException if the node has no such container
   */
  ContainerRun run(String namespace, String pod, String container) {
    return worker(namespace, pod)
        .container(container)
        .orElseThrow(() -> new IllegalStateException(pod + " has no container " + container));
  }

  @Override
  public ContainerLog find(String namespace, String pod, String container, boolean previous)
      throws LogUnavailableException {
    PodWorker worker = find(namespace, pod).orElse(null);
    if (worker == null) {
      throw new LogUnavailableException(404, "pod \"" + pod + "\" not found");
    }
    ContainerRun run = worker.container(container).orElse(null);
    String name = "container \"" + container + "\" in pod \"" + pod + "\"";
    if (run == null) {
      throw new LogUnavailableException(404, name + " not found");
    }
    ContainerLog log = run.log(previous);
    if (log == null && previous) {
      throw new LogUnavailableException(400, "previous terminated " + name + " not found");
    }
    if (log == null) {
      String why = run.phase() instanceof ContainerPhase.Waiting w ? w.reason() : "no log is left";
      throw new LogUnavailableException(400, name + " is waiting to start: " + why);
    }
    return log;
  }

  private synchronized void bound(Pod pod) {
    if (halted || !context.connected().getAsBoolean()) {
      return;
    }
    String uid = pod.getMetadata().getUid();
    PodWorker known = workers.get(uid);
    if (known != null) {
      known.update(pod);
      return;
    }
    PodWorker worker = new PodWorker(pod, context, () -> removeFinished(uid));
    workers.put(uid, worker);
    worker.start();
  }

  private void removeFinished(String uid) {
    workers.computeIfPresent(uid, (key, worker) -> worker.finished() ? null : worker);
  }

  private Optional<PodWorker> find(String namespace, String name) {
    return workers.values().stream()
        .filter(worker -> worker.pod().getMetadata().getNamespace().equals(namespace))
        .filter(worker -> worker.pod().getMetadata().getName().equals(name))
        .reduce((one, other) -> one.finished() ? other : one);
  }
}
