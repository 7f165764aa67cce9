package dev.tensorstack.training.kind.trainingjob.admission;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.fabric8.zjsonpatch.JsonPatch;
import io.quarkus.test.common.http.TestHTTPResource;
import java.io.IOException;
import java.net.URI;
import java.net.URL;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Odd jobs, made of the manifests, through both webhooks over HTTP. */
abstract class MutatedReviews {

  private static final JsonMapper JSON = new JsonMapper();

  private final KubernetesSerialization serialization = new KubernetesSerialization();
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  @TestHTTPResource("/")
  @SuppressWarnings("NullAway.Init")
  URL server;

  @Test
  void everyRequestIsAnsweredAndWhatIsAdmittedStaysAdmitted() throws Exception {
    long seed = Long.getLong("mutation.seed", 20260102L);
    System.out.println("mutation.seed=" + seed);
    Random random = new Random(seed);
    SpecMutator mutator = new SpecMutator(random);
    List<JsonNode> manifests = new ArrayList<>();
    for (String name : Manifests.names()) {
      manifests.add(serialization.unmarshal(Manifests.text(name), JsonNode.class));
    }
    int mutants = mutants();
    int admitted = 0;
    int refused = 0;
    for (int i = 0; i < mutants; i++) {
      JsonNode mutant = manifests.get(random.nextInt(manifests.size())).deepCopy();
      mutator.mutate((ObjectNode) mutant.get("spec"));
      try {
        if (check(mutant)) {
          admitted++;
        } else {
          refused++;
        }
      } catch (RuntimeException | AssertionError problem) {
        throw new AssertionError(
            "mutant " + i + " of -Dmutation.seed=" + seed + ":\n" + mutant.toPrettyString(),
            problem);
      }
    }
    System.out.printf("refused %d, admitted %d%n", refused, admitted);
    assertThat(List.of(refused, admitted)).allMatch(count -> count > mutants / 20);
  }

  /** How many of them. */
  abstract int mutants();

  /** One mutant; true when both webhooks admit it. */
  private boolean check(JsonNode mutant) throws IOException, InterruptedException {
    JsonNode first = ask("mutate", mutant, null);
    if (!first.path("allowed").asBoolean()) {
      assertThat(first.at("/status/code").asInt()).isEqualTo(422);
      assertThat(first.at("/status/details/causes")).isNotEmpty();
      return false;
    }
    JsonNode stored = mutant;
    if (first.has("patch")) {
      byte[] patch = Base64.getDecoder().decode(first.path("patch").asText());
      stored = JsonPatch.apply(JSON.readTree(patch), mutant);
    }
    assertThat(ask("mutate", stored, null).has("patch")).as("completed twice").isFalse();
    JsonNode verdict = ask("validate", stored, null);
    assertThat(ask("mutate", applied(mutant), stored).path("allowed").asBoolean())
        .as("the same manifest again")
        .isTrue();
    assertThat(ask("validate", stored, stored).path("allowed").asBoolean())
        .as("unchanged")
        .isTrue();
    if (!verdict.path("allowed").asBoolean()) {
      // Only what no type can hold is left to the validating webhook.
      assertThat(first.has("patch")).isFalse();
      assertThat(verdict.at("/auditAnnotations/refused-by").asText()).isEqualTo("unreadable");
    }
    return verdict.path("allowed").asBoolean();
  }

  /** As kubectl sends a manifest that it has applied before. */
  private static JsonNode applied(JsonNode manifest) {
    ObjectNode job = manifest.deepCopy();
    if (job.get("metadata") instanceof ObjectNode metadata
        && (!metadata.has("annotations") || metadata.get("annotations").isObject())) {
      metadata
          .withObjectProperty("annotations")
          .put("kubectl.kubernetes.io/last-applied-configuration", manifest.toString());
    }
    return job;
  }

  private JsonNode ask(String webhook, JsonNode object, @Nullable JsonNode old)
      throws IOException, InterruptedException {
    ObjectNode request = JSON.createObjectNode();
    request.put("uid", "705ab4f5").put("operation", old == null ? "CREATE" : "UPDATE");
    request
        .putObject("kind")
        .put("group", "batch.tensorstack.dev")
        .put("kind", "PyTorchTrainingJob");
    request.set("object", object);
    request.set("oldObject", old);
    ObjectNode review = JSON.createObjectNode();
    review.put("apiVersion", "admission.k8s.io/v1").put("kind", "AdmissionReview");
    review.set("request", request);
    HttpResponse<String> answer =
        http.send(
            HttpRequest.newBuilder(URI.create(server + webhook))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(review.toString()))
                .build(),
            HttpResponse.BodyHandlers.ofString());
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return JSON.readTree(answer.body()).path("response");
  }
}
