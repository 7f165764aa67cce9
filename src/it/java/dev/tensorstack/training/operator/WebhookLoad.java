package dev.tensorstack.training.operator;

import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJob;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A continuous load of admission requests, of two kinds: jobs that are created as a dry run, so
 * that the API server calls both webhooks; and calls of one webhook with a new handshake each,
 * which trust what is registered at that moment. Nothing is tried again.
 */
final class WebhookLoad implements AutoCloseable {

  private final KubernetesClient client;
  private final Webhooks webhooks;
  private final String url;
  private final String serverName;
  private final PyTorchTrainingJob job;
  private final AtomicInteger throughApiServer = new AtomicInteger();
  private final AtomicInteger direct = new AtomicInteger();
  private final Set<BigInteger> certificates = Collections.synchronizedSet(new LinkedHashSet<>());
  private final Set<String> bundles = Collections.synchronizedSet(new LinkedHashSet<>());
  private final List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean stopped;

  /**
   * Begins.
   *
   * @param cluster an administrator
   * @param webhooks what is registered
   * @param operator serves the webhooks
   * @param serverName the host name that the certificate is for, if it is not the URL's
   */
  WebhookLoad(Config cluster, Webhooks webhooks, OperatorProcess operator, String serverName) {
    Config noSecretRetries = new ConfigBuilder(cluster).withRequestRetryBackoffLimit(0).build();
    this.client = new KubernetesClientBuilder().withConfig(noSecretRetries).build();
    this.webhooks = webhooks;
    this.url = operator.webhookUrl() + "/mutate";
    this.serverName = serverName;
    this.job = Serialization.unmarshal(Jobs.simple("load", 1, "Never"), PyTorchTrainingJob.class);
    begin("load-api-server", this::createDry);
    begin("load-direct", this::callDirectly);
  }

  private void begin(String name, Callable<AtomicInteger> request) {
    Thread thread =
        new Thread(
            () -> {
              while (!stopped) {
                try {
                  int unused = request.call().incrementAndGet();
                } catch (Exception failure) {
                  failures.add(failure);
                }
              }
            },
            name);
    thread.setDaemon(true);
    threads.add(thread);
    thread.start();
  }

  private AtomicInteger createDry() {
    HasMetadata created = client.resource(job).inNamespace("default").dryRun().create();
    if (!(created instanceof PyTorchTrainingJob stored) || stored.getSpec().runPolicy() == null) {
      throw new IllegalStateException("the webhook was not called: " + created);
    }
    return throughApiServer;
  }

  private AtomicInteger callDirectly() throws Exception {
    String trust = webhooks.bundles().get(0);
    bundles.add(trust);
    WebhookClient.Answer answer = WebhookClient.call(url, trust, serverName);
    if (!answer.body().contains("\"allowed\":true")) {
      throw new IllegalStateException(answer.body());
    }
    certificates.add(answer.certificate().getSerialNumber());
    return direct;
  }

  /** How many jobs were created. */
  int throughApiServer() {
    return throughApiServer.get();
  }

  /** How many direct calls were answered. */
  int direct() {
    return direct.get();
  }

  /** How many different certificates the server has shown. */
  int certificates() {
    return certificates.size();
  }

  /** How many different bundles were registered. */
  int bundles() {
    return bundles.size();
  }

  /** What went wrong. */
  List<Throwable> failures() {
    return List.copyOf(failures);
  }

  @Override
  public void close() {
    stopped = true;
    for (Thread thread : threads) {
      try {
        thread.join();
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
      }
    }
    client.close();
  }
}
