package dev.tensorstack.training.engine;

import dev.tensorstack.training.core.naming.Labels;
import dev.tensorstack.training.core.naming.ObjectKind;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import java.net.HttpURLConnection;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Gives jobs the number that {@code scale} reads, where no webhook has stored it: jobs of before,
 * and those that came while the webhooks were away. Without it the API server cannot answer, and a
 * PodDisruptionBudget over their pods lets nobody go.
 */
final class ScaleReplicasWriter {

  private static final Logger LOG = Logger.getLogger(ScaleReplicasWriter.class);

  /** The watch brings the job with its number; should it not, it is written again. */
  private static final Duration UNTIL_SEEN = Duration.ofSeconds(1);

  /** A moment that lies further ahead was never decided on: the clock was put back. */
  private static final Duration LONGEST_WAIT = Duration.ofMinutes(2);

  private static final int LIMIT_MILLIS = 2_000;

  private final KubernetesClient client;
  private final boolean webhooks;

  /**
   * A writer.
   *
   * @param webhooks whether this operator is called by the API server; nobody else expects what
   *     they store
   */
  ScaleReplicasWriter(KubernetesClient client, boolean webhooks) {
    this.client = client;
    this.webhooks = webhooks;
  }

  /** What is known of one job's number. Not needed after a restart. */
  static final class Memory {
    private long generation = -1;
    private @Nullable Instant again;
    private int refusals;
    private @Nullable Long known;
    private OptionalInt missing = OptionalInt.empty();

    /**
     * The number that the spec lacks. A generation never changes, so it is found out once: this is
     * asked after each event of a pod.
     *
     * @param metadata the job's metadata
     * @param number finds it out
     * @return the number; empty when it is there, or cannot be told
     */
    synchronized OptionalInt missing(ObjectMeta metadata, Supplier<OptionalInt> number) {
      Long present = metadata.getGeneration();
      if (present == null || !present.equals(known)) {
        missing = number.get();
        known = present;
      }
      return missing;
    }

    /** Whether a write for this generation waits to be seen, or to be tried again. */
    private synchronized Duration wait(long now, Instant time) {
      boolean decided = again != null && !again.isAfter(time.plus(LONGEST_WAIT));
      if (now != generation || !decided || !time.isBefore(again)) {
        return Duration.ZERO;
      }
      return Duration.between(time, again);
    }

    private synchronized boolean wasRefused(long now) {
      return now == generation && refusals > 0;
    }

    private synchronized void accepted(long now, Instant time) {
      generation = now;
      refusals = 0;
      again = time.plus(UNTIL_SEEN);
    }

    private synchronized void refused(long now, Instant time) {
      refusals = now == generation ? refusals + 1 : 1;
      generation = now;
      again = time.plus(RetryDelay.after(refusals - 1));
    }
  }

  /**
   * Writes the number, if it is missing, through {@code scale}: no other field can change by that.
   * A refusal holds nothing up; it is tried again at a later look.
   *
   * @param kind the kind of the job
   * @param metadata the job's metadata
   * @param missing the number; empty when it is there, or cannot be told
   * @return how long to wait for the job with its number; zero to go on with the job as it is
   */
  Duration store(
      ObjectKind kind, ObjectMeta metadata, OptionalInt missing, Memory memory, Instant now) {
    if (!webhooks || metadata.getDeletionTimestamp() != null || missing.isEmpty()) {
      return Duration.ZERO;
    }
    long generation = Objects.requireNonNullElse(metadata.getGeneration(), 0L);
    Duration wait = memory.wait(generation, now);
    if (!wait.isZero()) {
      return memory.wasRefused(generation) ? Duration.ZERO : wait;
    }
    String refusal = write(kind, metadata, missing.getAsInt());
    if (refusal == null) {
      memory.accepted(generation, now);
      return UNTIL_SEEN;
    }
    memory.refused(generation, now);
    LOG.warnf(
        "job %s/%s: its number of pods could not be stored through scale, so"
            + " that a PodDisruptionBudget cannot read it; it is tried again: %s",
        metadata.getNamespace(), metadata.getName(), refusal);
    return Duration.ZERO;
  }

  /**
   * Sends the number.
   *
   * @return why it was refused, also when the job is gone, or the CRD has no {@code scale}; null
   *     when it was taken, or the job is not as it was known
   */
  private @Nullable String write(ObjectKind kind, ObjectMeta metadata, int count) {
    HttpRequest request =
        client
            .getHttpClient()
            .newHttpRequestBuilder()
            .uri(scaleOf(kind, metadata))
            .method(
                "PATCH",
                "application/merge-patch+json",
                // A namesake, or a job that was changed meanwhile, may have another number.
                "{\"metadata\":{\"resourceVersion\":\"%s\"},\"spec\":{\"replicas\":%d}}"
                    .formatted(metadata.getResourceVersion(), count))
            .timeout(LIMIT_MILLIS, TimeUnit.MILLISECONDS)
            .build();
    try {
      HttpResponse<String> answer =
          client
              .getHttpClient()
              .sendAsync(request, String.class)
              .get(2L * LIMIT_MILLIS, TimeUnit.MILLISECONDS);
      return switch (answer.code()) {
        // The job is another one by now: the watch brings the news.
        case HttpURLConnection.HTTP_CONFLICT -> null;
        default ->
            answer.code() < HttpURLConnection.HTTP_BAD_REQUEST ? null : message(answer.body());
      };
    } catch (ExecutionException | TimeoutException away) {
      return String.valueOf(away.getMessage());
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return "interrupted";
    }
  }

  private String message(String body) {
    try {
      return String.valueOf(
          client.getKubernetesSerialization().unmarshal(body, Status.class).getMessage());
    } catch (RuntimeException noStatus) {
      return body;
    }
  }

  private URI scaleOf(ObjectKind kind, ObjectMeta metadata) {
    return URI.create(
        client.getMasterUrl()
            + "apis/%s/namespaces/%s/%s/%s/scale?fieldManager=%s"
                .formatted(
                    kind.apiVersion(),
                    metadata.getNamespace(),
                    kind.plural(),
                    metadata.getName(),
                    Labels.OPERATOR));
  }
}
