package dev.tensorstack.training.metrics;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.client.KubernetesClient;

/**
 * Asks the API server about a token, as Kubernetes' own components do for their metrics: whose it
 * is (TokenReview), and whether this user may get {@code /metrics} (SubjectAccessReview).
 */
final class AccessReviews {

  /** What users are given the right to. */
  static final String PATH = "/metrics";

  private static final String TOKEN_REVIEWS = "/apis/authentication.k8s.io/v1/tokenreviews";
  private static final String ACCESS_REVIEWS = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Api api;

  /** Talks to the API server. */
  interface Api {
    /**
     * Creates an object.
     *
     * @param path where
     * @param object the object as JSON
     * @return the answer's JSON
     * @throws io.fabric8.kubernetes.client.KubernetesClientException when there is none
     */
    String create(String path, JsonNode object);
  }

  /**
   * Reviews by an API server.
   *
   * @param client may create TokenReviews and SubjectAccessReviews
   */
  AccessReviews(KubernetesClient client) {
    this((path, object) -> client.raw(path, "POST", object));
  }

  AccessReviews(Api api) {
    this.api = api;
  }

  /**
   * Asks about a token.
   *
   * @param token any text
   * @return what the API server says
   * @throws io.fabric8.kubernetes.client.KubernetesClientException when it does not say anything
   */
  Verdict verdict(String token) {
    ObjectNode review = object("authentication.k8s.io/v1", "TokenReview");
    review.putObject("spec").put("token", token);
    JsonNode authenticated = status(TOKEN_REVIEWS, review);
    JsonNode user = authenticated.path("user");
    String name = user.path("username").asText();
    if (!authenticated.path("authenticated").asBoolean() || name.isEmpty()) {
      return Verdict.NOBODY;
    }
    ObjectNode access = object("authorization.k8s.io/v1", "SubjectAccessReview");
    ObjectNode spec = access.putObject("spec");
    spec.put("user", name);
    for (String part : new String[] {"uid", "groups", "extra"}) {
      if (user.has(part)) {
        spec.set(part, user.get(part));
      }
    }
    spec.putObject("nonResourceAttributes").put("path", PATH).put("verb", "get");
    return new Verdict(
        status(ACCESS_REVIEWS, access).path("allowed").asBoolean()
            ? Verdict.Access.ALLOWED
            : Verdict.Access.FORBIDDEN,
        name);
  }

  private static ObjectNode object(String apiVersion, String kind) {
    return JSON.createObjectNode().put("apiVersion", apiVersion).put("kind", kind);
  }

  private JsonNode status(String path, ObjectNode object) {
    try {
      return JSON.readTree(api.create(path, object)).path("status");
    } catch (JsonProcessingException noJson) {
      throw new IllegalStateException("the API server's answer of " + path + " is no JSON", noJson);
    }
  }
}
