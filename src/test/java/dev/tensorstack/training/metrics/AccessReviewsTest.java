package dev.tensorstack.training.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whose token it is, and whether that user may get the metrics, is the API server's word. */
class AccessReviewsTest {

  private static final String USER =
      """
      {"status": {"authenticated": true, "user": {"username": "system:serviceaccount:m:p",
        "uid": "u-1", "groups": ["system:authenticated"], "extra": {"k": ["v"]}}}}
      """;

  private final Map<String, JsonNode> sent = new LinkedHashMap<>();

  private Verdict verdict(String tokenReview, String accessReview) {
    return new AccessReviews(
            (path, object) -> {
              sent.put(path, object);
              return path.endsWith("tokenreviews") ? tokenReview : accessReview;
            })
        .verdict("t");
  }

  private static String allowed(boolean allowed) {
    return "{\"status\": {\"allowed\": " + allowed + "}}";
  }

  @Test
  void theUserOfTheTokenIsAskedFor() {
    assertThat(verdict(USER, allowed(true)))
        .isEqualTo(new Verdict(Verdict.Access.ALLOWED, "system:serviceaccount:m:p"));

    assertThat(sent.get("/apis/authentication.k8s.io/v1/tokenreviews"))
        .hasToString(
            "{\"apiVersion\":\"authentication.k8s.io/v1\",\"kind\":\"TokenReview\","
                + "\"spec\":{\"token\":\"t\"}}");
    assertThat(sent.get("/apis/authorization.k8s.io/v1/subjectaccessreviews"))
        .hasToString(
            "{\"apiVersion\":\"authorization.k8s.io/v1\",\"kind\":\"SubjectAccessReview\","
                + "\"spec\":{\"user\":\"system:serviceaccount:m:p\",\"uid\":\"u-1\","
                + "\"groups\":[\"system:authenticated\"],\"extra\":{\"k\":[\"v\"]},"
                + "\"nonResourceAttributes\":{\"path\":\"/metrics\",\"verb\":\"get\"}}}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"status\": {\"allowed\": false}}",
        "{\"status\": {\"allowed\": false, \"denied\": true, \"reason\": \"no\"}}",
        "{\"status\": {}}",
        "{}"
      })
  void whoIsNotAllowedIsForbidden(String review) {
    assertThat(verdict(USER, review))
        .isEqualTo(new Verdict(Verdict.Access.FORBIDDEN, "system:serviceaccount:m:p"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"status\": {\"authenticated\": false, \"error\": \"invalid bearer token\"}}",
        "{\"status\": {\"user\": {\"username\": \"a\"}}}",
        "{\"status\": {\"authenticated\": true, \"user\": {}}}",
        "{}"
      })
  void aTokenOfNobodyIsNotAskedForFurther(String review) {
    assertThat(verdict(review, allowed(true))).isEqualTo(Verdict.NOBODY);
    assertThat(sent).hasSize(1);
  }

  @Test
  void noAnswerIsNoVerdict() {
    AccessReviews reviews =
        new AccessReviews(
            (path, object) -> {
              throw new KubernetesClientException("away");
            });

    assertThatThrownBy(() -> reviews.verdict("t")).isInstanceOf(KubernetesClientException.class);
    assertThatThrownBy(() -> verdict("<html>", "")).isInstanceOf(IllegalStateException.class);
  }
}
