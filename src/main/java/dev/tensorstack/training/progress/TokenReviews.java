package dev.tensorstack.training.progress;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tensorstack.training.core.pod.ProgressEndpoint;
import dev.tensorstack.training.https.AnswersByToken;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Which pod a token proves, by the API server's word (TokenReview). An answer holds for minutes, so
 * that a report costs no call; a pod that is gone is known from the watch. Safe for use by several
 * threads.
 */
final class TokenReviews {

  private static final Duration VALID = Duration.ofMinutes(5);

  /** A refusal may pass: an API server that has just been started does not know all pods. */
  private static final Duration REFUSED = Duration.ofSeconds(20);

  private static final int KEPT = 20_000;
  private static final String ACCOUNT = "system:serviceaccount:";
  private static final String POD_NAME = "authentication.kubernetes.io/pod-name";
  private static final String POD_UID = "authentication.kubernetes.io/pod-uid";
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Reviewer reviewer;
  private final AnswersByToken<Optional<ReportingPod>> answers;

  /** Asks the API server. */
  interface Reviewer {
    /**
     * Reviews a token.
     *
     * @param token any text
     * @return the answer's JSON
     * @throws io.fabric8.kubernetes.client.KubernetesClientException when there is none
     */
    String review(String token);
  }

  TokenReviews(KubernetesClient client, Clock clock) {
    this(
        token ->
            client.raw(
                "/apis/authentication.k8s.io/v1/tokenreviews",
                "POST",
                Map.of(
                    "apiVersion",
                    "authentication.k8s.io/v1",
                    "kind",
                    "TokenReview",
                    "spec",
                    Map.of("token", token, "audiences", List.of(ProgressEndpoint.AUDIENCE)))),
        clock);
  }

  TokenReviews(Reviewer reviewer, Clock clock) {
    this.reviewer = reviewer;
    this.answers =
        new AnswersByToken<>(
            KEPT, Optional::isPresent, pod -> pod.isPresent() ? VALID : REFUSED, clock);
  }

  /**
   * Whether the answer for a token is known, or was a good one before it grew old.
   *
   * @param token any text
   */
  boolean isKnown(String token) {
    return answers.isKnown(token);
  }

  /**
   * Which pod a token proves.
   *
   * @param token any text
   * @return the pod; null when the token is none of a pod for this purpose
   * @throws io.fabric8.kubernetes.client.KubernetesClientException when the API server does not say
   */
  @Nullable ReportingPod pod(String token) {
    return answers
        .answer(token, asked -> Optional.ofNullable(read(reviewer.review(asked))))
        .orElse(null);
  }

  private static @Nullable ReportingPod read(String review) {
    JsonNode status;
    try {
      status = JSON.readTree(review).path("status");
    } catch (JsonProcessingException noJson) {
      throw new IllegalStateException("the API server's TokenReview is no JSON", noJson);
    }
    boolean forThis = false;
    for (JsonNode audience : status.path("audiences")) {
      forThis |= ProgressEndpoint.AUDIENCE.equals(audience.asText());
    }
    String user = status.path("user").path("username").asText();
    JsonNode extra = status.path("user").path("extra");
    String name = extra.path(POD_NAME).path(0).asText();
    String uid = extra.path(POD_UID).path(0).asText();
    String[] account =
        user.startsWith(ACCOUNT) ? user.substring(ACCOUNT.length()).split(":", 2) : new String[0];
    return forThis
            && status.path("authenticated").asBoolean()
            && account.length == 2
            && !name.isEmpty()
            && !uid.isEmpty()
        ? new ReportingPod(account[0], name, uid)
        : null;
  }
}
