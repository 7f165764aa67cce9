package dev.tensorstack.training.operator;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.util.HashSet;
import java.util.Set;

/** Counts the pods of a namespace that have not ended, in the order in which they come and go. */
final class RunningPods implements AutoCloseable {

  private final Set<String> present = new HashSet<>();
  private int most;
  private final SharedIndexInformer<Pod> informer;

  private RunningPods(KubernetesClient client, String namespace) {
    informer = client.pods().inNamespace(namespace).runnableInformer(0);
    informer.addEventHandler(
        new ResourceEventHandler<>() {
          @Override
          public void onAdd(Pod pod) {
            seen(pod, false);
          }

          @Override
          public void onUpdate(Pod before, Pod pod) {
            seen(pod, false);
          }

          @Override
          public void onDelete(Pod pod, boolean stateUnknown) {
            seen(pod, true);
          }
        });
  }

  /** Begins to count. */
  static RunningPods watch(KubernetesClient client, String namespace) {
    RunningPods pods = new RunningPods(client, namespace);
    pods.informer.run();
    return pods;
  }

  private synchronized void seen(Pod pod, boolean gone) {
    String phase = pod.getStatus().getPhase();
    if (gone || "Succeeded".equals(phase) || "Failed".equals(phase)) {
      present.remove(pod.getMetadata().getUid());
    } else {
      present.add(pod.getMetadata().getUid());
      most = Math.max(most, present.size());
    }
  }

  /** How many there are. */
  synchronized int now() {
    return present.size();
  }

  /** How many there were at most at the same moment. */
  synchronized int most() {
    return most;
  }

  @Override
  public void close() {
    informer.close();
  }
}
