package dev.tensorstack.training.operator;

import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.authentication.TokenRequestBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * Reports progress as a pod does: with its token, to where it is told, by the authorities it has.
 */
final class ProgressScene {

  static final String AUDIENCE = "progress.batch.tensorstack.dev";

  private final KubernetesClient client;

  ProgressScene(KubernetesClient client) {
    this.client = client;
  }

  /** A variable of a pod's first container; null when it has none of that name. */
  static @Nullable String variable(Pod pod, String name) {
    return pod.getSpec().getContainers().get(0).getEnv().stream()
        .filter(variable -> variable.getName().equals(name))
        .map(EnvVar::getValue)
        .findFirst()
        .orElse(null);
  }

  static String url(Pod pod) {
    String url = variable(pod, "KUBEFLOW_TRAINER_SERVER_URL");
    if (url == null) {
      throw new AssertionError(
          "pod " + pod.getMetadata().getName() + " is not told where to report");
    }
    return url;
  }

  /** A token of the pod's service account. */
  String token(Pod pod, String audience, boolean bound) {
    var spec =
        new TokenRequestBuilder()
            .withNewSpec()
            .withAudiences(audience.isEmpty() ? List.of() : List.of(audience))
            .withExpirationSeconds(600L);
    var request =
        bound
            ? spec.withNewBoundObjectRef()
                .withApiVersion("v1")
                .withKind("Pod")
                .withName(pod.getMetadata().getName())
                .withUid(pod.getMetadata().getUid())
                .endBoundObjectRef()
            : spec;
    return client
        .serviceAccounts()
        .inNamespace(pod.getMetadata().getNamespace())
        .withName("default")
        .tokenRequest(request.endSpec().build())
        .getStatus()
        .getToken();
  }

  String token(Pod pod) {
    return token(pod, AUDIENCE, true);
  }

  static String report(int percent, int step, String loss) {
    return """
        {"trainerStatus": {"progressPercentage": %d, "estimatedRemainingSeconds": 8100,
          "metrics": [{"name": "current_step", "value": "%d"}, {"name": "loss", "value": "%s"}],
          "lastUpdatedTime": "2026-01-01T00:00:00Z"}}
        """
        .formatted(percent, step, loss);
  }

  /** Sends a report; returns the answer. */
  HttpResponse<String> send(Pod pod, String url, @Nullable String token, String body) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(url))
            .timeout(Duration.ofSeconds(10))
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(body));
    if (token != null) {
      request.header("Authorization", "Bearer " + token);
    }
    try {
      return HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .sslContext(trusting(pod))
          .build()
          .send(request.build(), HttpResponse.BodyHandlers.ofString());
    } catch (IOException problem) {
      throw new UncheckedIOException(problem);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(interrupted);
    }
  }

  HttpResponse<String> send(Pod pod, String body) {
    return send(pod, url(pod), token(pod), body);
  }

  private static String authorities(Pod pod) {
    return Objects.requireNonNull(
        pod.getMetadata().getAnnotations().get("batch.tensorstack.dev/progress-ca"));
  }

  /** Trusts what a pod trusts. */
  static SSLContext trusting(Pod pod) {
    return trusting(authorities(pod));
  }

  private static SSLContext trusting(String pem) {
    try {
      KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      int number = 0;
      for (Certificate authority :
          CertificateFactory.getInstance("X.509")
              .generateCertificates(
                  new ByteArrayInputStream(pem.getBytes(StandardCharsets.US_ASCII)))) {
        store.setCertificateEntry("authority-" + number++, authority);
      }
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(store);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, trust.getTrustManagers(), null);
      return context;
    } catch (GeneralSecurityException | IOException unusable) {
      throw new IllegalStateException(unusable);
    }
  }
}
