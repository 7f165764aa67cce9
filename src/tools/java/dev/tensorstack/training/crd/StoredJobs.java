package dev.tensorstack.training.crd;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.core.policy.AcceleratorResources;
import dev.tensorstack.training.kind.RuleContext;
import dev.tensorstack.training.kind.trainingjob.admission.Defaulter;
import dev.tensorstack.training.kind.trainingjob.admission.Rules;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.http.HttpResponse;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.fabric8.zjsonpatch.JsonDiff;
import io.fabric8.zjsonpatch.JsonPatch;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.Yaml;

/** Jobs of one namespace, sent to the API server as they are written, and what it says of them. */
final class StoredJobs {

  private static final ObjectMapper JSON = new ObjectMapper();

  private final KubernetesClient client;
  private final String namespace;

  StoredJobs(KubernetesClient client, String namespace) {
    this.client = client;
    this.namespace = namespace;
  }

  /** The namespace of these jobs. */
  String namespace() {
    return namespace;
  }

  /**
   * A mistake that the API server reports.
   *
   * @param field the path
   * @param reason for example {@code FieldValueInvalid}
   * @param message with the value in front of the words
   */
  record Refusal(String field, String reason, String message) {

    private static final Pattern DENIAL =
        Pattern.compile("ValidatingAdmissionPolicy '.*' denied request: (.*)", Pattern.DOTALL);

    private static final Pattern NEXT = Pattern.compile("; (?=(?:spec|metadata)\\.\\S+: )");

    /** What a policy says; it has no reasons. */
    private static List<Refusal> ofDenial(String words) {
      return NEXT.splitAsStream(words)
          .map(each -> each.split(": ", 2))
          .map(each -> new Refusal(each[0], "", each[1]))
          .toList();
    }

    /** Whether a rule of admission says the same: words, reason, field or the list it is in. */
    boolean saysTheSameAs(Violation violation) {
      return (message.equals(violation.message()) || message.endsWith(": " + violation.message()))
          && (reason.isEmpty() || reason.equals(CelRule.reason(violation.reason())))
          && (violation.field().equals(field)
              || violation.field().startsWith(field + "[")
              || violation.field().replaceAll("\\[\\d+]", "[]").equals(field));
    }
  }

  /** A spec as JSON, exactly as it is written. */
  static JsonNode spec(String yaml) {
    return JSON.valueToTree(new Yaml().load(yaml));
  }

  /** A job as JSON. */
  static ObjectNode job(String name, JsonNode spec) {
    ObjectNode job =
        JSON.createObjectNode()
            .put("apiVersion", "batch.tensorstack.dev/v1beta1")
            .put("kind", "PyTorchTrainingJob");
    job.putObject("metadata").put("name", name);
    job.set("spec", spec);
    return job;
  }

  /** A spec with all defaults, as the mutating webhook makes it: nothing else is touched. */
  static JsonNode completed(JsonNode spec) {
    PyTorchTrainingJobSpec given = read(spec);
    return JsonPatch.apply(JsonDiff.asJson(tree(given), tree(complete(spec))), spec.deepCopy());
  }

  /** What the rules of admission say. */
  static List<Violation> violations(String name, JsonNode spec, @Nullable JsonNode old) {
    return Rules.check(new RuleContext<>(name, complete(spec), old == null ? null : complete(old)));
  }

  private static PyTorchTrainingJobSpec complete(JsonNode spec) {
    return new Defaulter(AcceleratorResources.DEFAULT).complete(read(spec));
  }

  private static PyTorchTrainingJobSpec read(JsonNode spec) {
    return Serialization.unmarshal(spec.toString(), PyTorchTrainingJobSpec.class);
  }

  private static JsonNode tree(PyTorchTrainingJobSpec spec) {
    return Serialization.jsonMapper().valueToTree(spec);
  }

  /** Creates a job. */
  List<Refusal> create(ObjectNode job) {
    return send("POST", "", job);
  }

  /** Tries to create a job, which is not stored. */
  List<Refusal> tryToCreate(ObjectNode job) {
    return send("POST", "?dryRun=All", job);
  }

  /** Replaces the spec of a job. */
  List<Refusal> update(String name, JsonNode spec) {
    ObjectNode job = get(name);
    job.set("spec", spec);
    return send("PUT", "/" + name, job);
  }

  /** Replaces something of a job: the whole object without a subresource. */
  List<Refusal> replace(String name, String subresource, JsonNode object) {
    return send("PUT", "/" + name + subresource, object);
  }

  /** Deletes a job; nothing happens when there is none. */
  void delete(String name) {
    String unused = client.raw(uri("/" + name), "DELETE", null);
  }

  /** The job as it is stored. */
  ObjectNode get(String name) {
    return (ObjectNode) read(name, "");
  }

  /** The job or one of its subresources. */
  JsonNode read(String name, String subresource) {
    return Serialization.unmarshal(
        Objects.requireNonNull(client.raw(uri("/" + name + subresource)), "job " + name),
        JsonNode.class);
  }

  /** Waits until the API server knows the policy. */
  void awaitPolicy() {
    ObjectNode invalid = job("probe", spec("{replicaSpecs: []}"));
    Awaitility.await("the policy holds").until(() -> !tryToCreate(invalid).isEmpty());
  }

  /** Whether there is such a job. */
  boolean exists(String name) {
    return client.raw(uri("/" + name)) != null;
  }

  /**
   * Sends a request.
   *
   * @return what the schema refuses, or what the policy does; empty when the object is accepted
   */
  private List<Refusal> send(String method, String path, JsonNode object) {
    HttpClient http = client.getHttpClient();
    HttpResponse<String> response =
        http.sendAsync(
                http.newHttpRequestBuilder()
                    .uri(client.getMasterUrl().toString().replaceAll("/$", "") + uri(path))
                    .method(method, "application/json", object.toString())
                    .build(),
                String.class)
            .join();
    if (response.isSuccessful()) {
      return List.of();
    }
    Status status = Serialization.unmarshal(body(response), Status.class);
    if (response.code() != 422 || status.getDetails() == null) {
      throw new KubernetesClientException(status);
    }
    Matcher denial = Refusal.DENIAL.matcher(status.getMessage());
    if (denial.find()) {
      return Refusal.ofDenial(denial.group(1));
    }
    return status.getDetails().getCauses().stream()
        .map(cause -> new Refusal(cause.getField(), cause.getReason(), cause.getMessage()))
        .toList();
  }

  private static String body(HttpResponse<String> response) {
    try {
      return response.bodyString();
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  private String uri(String path) {
    return "/apis/batch.tensorstack.dev/v1beta1/namespaces/"
        + namespace
        + "/pytorchtrainingjobs"
        + path;
  }
}
