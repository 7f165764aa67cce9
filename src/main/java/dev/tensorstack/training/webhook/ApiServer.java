package dev.tensorstack.training.webhook;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tensorstack.training.core.naming.ObjectKind;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import java.net.HttpURLConnection;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** What the webhooks ask the API server: how a pod would be received, and a stored job. */
final class ApiServer implements PodDryRun.PodTrial, ValidatingAdmission.StoredJobs {

  private static final Logger LOG = Logger.getLogger(ApiServer.class);

  private static final int LIMIT_MILLIS = 2_000;

  /** What is installed changes rarely, and jobs may come by the thousand. */
  private static final Duration GROUPS_VALID = Duration.ofSeconds(30);

  private final KubernetesClient client;
  private final Map<String, Answer> groups = new ConcurrentHashMap<>();

  ApiServer(KubernetesClient client) {
    this.client = client;
  }

  @Override
  public CompletionStage<PodAnswer> create(Pod pod, TemplatePath path) {
    HttpRequest request =
        client
            .getHttpClient()
            .newHttpRequestBuilder()
            .uri(podsOf(pod.getMetadata().getNamespace()))
            .post("application/json", client.getKubernetesSerialization().asJson(pod))
            .timeout(LIMIT_MILLIS, TimeUnit.MILLISECONDS)
            .build();
    return client
        .getHttpClient()
        .sendAsync(request, String.class)
        .thenApply(
            response ->
                PodAnswer.of(
                    response.code(), errorIn(response), response.headers("Warning"), path));
  }

  @Override
  public CompletionStage<Boolean> serves(String group) {
    Answer known = groups.get(group);
    if (known != null && System.nanoTime() - known.at() < GROUPS_VALID.toNanos()) {
      return CompletableFuture.completedFuture(known.served());
    }
    HttpRequest request =
        client
            .getHttpClient()
            .newHttpRequestBuilder()
            .uri(URI.create(client.getMasterUrl() + "apis/" + group))
            .timeout(LIMIT_MILLIS, TimeUnit.MILLISECONDS)
            .build();
    return client
        .getHttpClient()
        .sendAsync(request, String.class)
        .thenApply(
            response -> {
              boolean served = response.code() != HttpURLConnection.HTTP_NOT_FOUND;
              groups.put(group, new Answer(served, System.nanoTime()));
              return served;
            });
  }

  /** Whether an API group was served at a moment, in nanoseconds of the JVM's clock. */
  private record Answer(boolean served, long at) {}

  private URI podsOf(String namespace) {
    return URI.create(
        client.getMasterUrl()
            + "api/v1/namespaces/"
            + namespace
            + "/pods?dryRun=All&fieldValidation=Warn");
  }

  private @Nullable Status errorIn(HttpResponse<String> response) {
    if (response.code() < HttpURLConnection.HTTP_BAD_REQUEST) {
      return null;
    }
    try {
      return client.getKubernetesSerialization().unmarshal(response.body(), Status.class);
    } catch (RuntimeException noStatus) {
      LOG.warnf("the dry run of a pod was answered with %d: %s", response.code(), noStatus);
      return null;
    }
  }

  /** The client's own way would try again for longer than the API server waits for an answer. */
  @Override
  public Optional<JsonNode> find(ObjectKind kind, String namespace, String name) {
    if (namespace.isEmpty()) {
      return Optional.empty();
    }
    HttpRequest request =
        client
            .getHttpClient()
            .newHttpRequestBuilder()
            .uri(jobOf(kind, namespace, name))
            .timeout(LIMIT_MILLIS, TimeUnit.MILLISECONDS)
            .build();
    try {
      HttpResponse<String> answer =
          client
              .getHttpClient()
              .sendAsync(request, String.class)
              .get(LIMIT_MILLIS, TimeUnit.MILLISECONDS);
      if (answer.code() == HttpURLConnection.HTTP_NOT_FOUND) {
        return Optional.empty();
      }
      if (answer.code() >= HttpURLConnection.HTTP_BAD_REQUEST) {
        return notRead(namespace, name, "HTTP " + answer.code());
      }
      return Optional.of(
          client.getKubernetesSerialization().unmarshal(answer.body(), JsonNode.class));
    } catch (ExecutionException | TimeoutException | KubernetesClientException away) {
      return notRead(namespace, name, away.toString());
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }

  private static Optional<JsonNode> notRead(String namespace, String name, String why) {
    LOG.warnf("job %s/%s could not be read to check its scale: %s", namespace, name, why);
    return Optional.empty();
  }

  private URI jobOf(ObjectKind kind, String namespace, String name) {
    return URI.create(
        client.getMasterUrl()
            + "apis/%s/namespaces/%s/%s/%s"
                .formatted(kind.apiVersion(), namespace, kind.plural(), name));
  }
}
