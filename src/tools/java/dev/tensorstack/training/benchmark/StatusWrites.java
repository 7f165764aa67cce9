package dev.tensorstack.training.benchmark;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * One stored job whose status is written again and again, as the operator does it: {@code PUT
 * status} with name, uid, resource version and the whole status, but without the spec.
 */
final class StatusWrites {

  private static final ObjectMapper JSON = new ObjectMapper();

  private final Api api;
  private final String path;
  private final ObjectNode metadata;
  private final ObjectNode body;
  private final ObjectNode status;
  private int number;
  private int failures;

  private StatusWrites(Api api, String path, CrdTwin crd, ObjectNode metadata, JsonNode status) {
    this.api = api;
    this.path = path;
    this.metadata = metadata;
    this.status = status.deepCopy();
    this.body = JSON.createObjectNode();
    body.put("apiVersion", crd.apiVersion()).put("kind", "PyTorchTrainingJob");
    body.set("metadata", metadata);
    body.set("status", this.status);
  }

  /**
   * Creates the job.
   *
   * @param crd of which it is an object
   * @param name the job's name, new in the namespace
   */
  static StatusWrites of(Api api, CrdTwin crd, String namespace, String name, StatusSample sample)
      throws JsonProcessingException {
    ObjectNode job = sample.job().deepCopy();
    job.put("apiVersion", crd.apiVersion());
    job.withObject("/metadata").put("name", name);
    Api.Answer answer =
        api.post(crd.path(namespace), job.toString().getBytes(UTF_8))
            .orThrow("the creation of a job, CRD " + crd.title());
    JsonNode stored = JSON.readTree(answer.body()).path("metadata");
    ObjectNode metadata = JSON.createObjectNode().put("name", name).put("namespace", namespace);
    metadata.set("uid", stored.path("uid"));
    metadata.set("resourceVersion", stored.path("resourceVersion"));
    return new StatusWrites(
        api, crd.path(namespace) + "/" + name + "/status", crd, metadata, sample.status());
  }

  /** Writes the status so often, one after the other, each time with another count. */
  void write(int times) {
    for (int i = 0; i < times; i++) {
      number++;
      status.put("disruptionCount", number);
      Api.Answer answer = api.put(path, body.toString().getBytes(UTF_8));
      if (!answer.accepted()) {
        // On a machine that is too busy a write times out, and may be stored all the same.
        failures++;
        answer = api.get(path).orThrow("the job, after " + answer.code() + " to a status write");
      }
      metadata.put("resourceVersion", RawClient.firstValue(answer.body(), "resourceVersion"));
    }
  }

  /** How many writes were not answered in time; more than none and the machine was too busy. */
  int failures() {
    return failures;
  }
}
