package dev.tensorstack.training.e2e;

import static org.awaitility.Awaitility.await;

import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJob;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Asks the webhooks ten times a second, by creations that the API server does not carry out. */
final class AdmissionProbe implements AutoCloseable {

  private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();
  private final AtomicInteger count = new AtomicInteger();
  private final List<String> refusals = new CopyOnWriteArrayList<>();

  private AdmissionProbe() {}

  /**
   * Begins to ask.
   *
   * @param client an administrator
   * @param namespace where the job would be
   * @param manifest a job that is right
   * @return to be closed
   */
  static AdmissionProbe start(KubernetesClient client, String namespace, String manifest) {
    AdmissionProbe probe = new AdmissionProbe();
    PyTorchTrainingJob job = Serialization.unmarshal(manifest, PyTorchTrainingJob.class);
    var unused =
        probe.thread.scheduleWithFixedDelay(
            () -> probe.ask(client, namespace, job), 0, 100, TimeUnit.MILLISECONDS);
    return probe;
  }

  private void ask(KubernetesClient client, String namespace, PyTorchTrainingJob job) {
    try {
      client.resource(job).inNamespace(namespace).dryRun().create();
    } catch (KubernetesClientException refused) {
      refusals.add(Instant.now() + " " + refused.getMessage());
    }
    count.incrementAndGet();
  }

  /** How often was asked. */
  int count() {
    return count.get();
  }

  /** The answers that were no. */
  List<String> refusals() {
    return List.copyOf(refusals);
  }

  /** Waits until so many more requests have been answered. */
  void awaitMore(int requests) {
    int before = count();
    await(requests + " requests")
        .atMost(Duration.ofSeconds(60))
        .until(() -> count() >= before + requests);
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
