package dev.tensorstack.training.webhook;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import org.jspecify.annotations.Nullable;

/** Makes admission calls for tests out of YAML. */
final class Reviews {

  static final JsonMapper JSON = new JsonMapper();

  private static final YAMLMapper YAML = new YAMLMapper();

  private Reviews() {}

  /** A template that the rules like. */
  static final String TEMPLATE =
      "template: {spec: {containers: [{name: c, image: i, args: [t.py]}]}}";

  /** A job's JSON. */
  static JsonNode job(String name, String spec) {
    return yaml(
        "{apiVersion: batch.tensorstack.dev/v1beta1, kind: PyTorchTrainingJob, metadata: {name: '"
            + name
            + "', uid: 0e6e1f5c}, spec: "
            + spec
            + "}");
  }

  static AdmissionCall create(JsonNode object) {
    return new AdmissionCall(
        "u", AdmissionCall.Operation.CREATE, "", "ns", name(object), object, null);
  }

  static AdmissionCall update(JsonNode old, JsonNode object) {
    return new AdmissionCall(
        "u", AdmissionCall.Operation.UPDATE, "", "ns", name(object), object, old);
  }

  static AdmissionCall scale(String job, @Nullable Integer replicas) {
    JsonNode object = yaml("{spec: {" + (replicas == null ? "" : "replicas: " + replicas) + "}}");
    return new AdmissionCall(
        "u",
        AdmissionCall.Operation.UPDATE,
        "scale",
        "ns",
        job,
        object,
        yaml("{spec: {replicas: 77}}"));
  }

  static JsonNode yaml(String text) {
    try {
      return YAML.readTree(text);
    } catch (JsonProcessingException problem) {
      throw new IllegalArgumentException(text, problem);
    }
  }

  private static @Nullable String name(JsonNode object) {
    JsonNode name = object.path("metadata").path("name");
    return name instanceof MissingNode || name.asText().isEmpty() ? null : name.asText();
  }
}
