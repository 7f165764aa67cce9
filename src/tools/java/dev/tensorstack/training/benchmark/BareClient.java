package dev.tensorstack.training.benchmark;

import dev.tensorstack.training.core.model.RunModeKind;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.core.pod.PodFactory;
import dev.tensorstack.training.core.policy.AcceleratorResources;
import dev.tensorstack.training.core.policy.ReplicaLayout;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Creates pods and does nothing else: what no operator can be faster than. */
final class BareClient implements AutoCloseable {

  private final KubernetesClient client;
  private final ExecutorService threads;

  BareClient(KubernetesClient client, int parallelism) {
    this.client = client;
    this.threads =
        Executors.newFixedThreadPool(
            parallelism,
            task -> {
              Thread thread = new Thread(task, "bare-client");
              thread.setDaemon(true);
              return thread;
            });
  }

  /** The pods that the operator makes for a job. */
  static List<Pod> podsOf(TrainingJob job) {
    ReplicaLayout layout = ReplicaLayout.of(job.spec());
    PodFactory factory = new PodFactory(job, layout, AcceleratorResources.DEFAULT);
    return layout.replicas().stream()
        .map(replica -> factory.pod(replica, 0, 0, RunModeKind.TRAIN))
        .toList();
  }

  /** Creates pods, so many at once as there are threads, and waits for the last answer. */
  void create(List<Pod> pods) {
    List<CompletableFuture<Pod>> answers = new ArrayList<>();
    for (Pod pod : pods) {
      answers.add(CompletableFuture.supplyAsync(() -> client.resource(pod).create(), threads));
    }
    answers.forEach(CompletableFuture::join);
  }

  @Override
  public void close() {
    threads.shutdown();
    client.close();
  }
}
