package dev.tensorstack.training.benchmark;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.yaml.snakeyaml.Yaml;

/**
 * The CRD of PyTorchTrainingJobs and its twins in other API groups, which check less: what a write
 * costs of the one and of the other differs by what the checks cost.
 */
enum CrdTwin {
  /** The CRD as it is installed. */
  INSTALLED("as installed", "batch.tensorstack.dev"),

  /** The same schema without a rule in CEL. */
  WITHOUT_RULES("without CEL rules", "without-rules.benchmark.tensorstack.dev"),

  /** Everything is an object, nothing is checked. */
  WITHOUT_SCHEMA("without a schema", "without-schema.benchmark.tensorstack.dev");

  private static final Path FILE =
      Path.of("src/main/kubernetes/pytorchtrainingjobs.batch.tensorstack.dev-v1.yml");
  private static final ObjectMapper JSON = new ObjectMapper();

  private final String title;
  private final String group;

  CrdTwin(String title, String group) {
    this.title = title;
    this.group = group;
  }

  /** For people. */
  String title() {
    return title;
  }

  /** Group and version of its objects. */
  String apiVersion() {
    return group + "/v1beta1";
  }

  /** The CRD's name. */
  String crdName() {
    return "pytorchtrainingjobs." + group;
  }

  /** Where the API server has its objects of a namespace. */
  String path(String namespace) {
    return "/apis/" + apiVersion() + "/namespaces/" + namespace + "/pytorchtrainingjobs";
  }

  /** The CRD made from the project's file. */
  ObjectNode crd() throws IOException {
    return of(JSON.valueToTree(new Yaml().<Map<String, Object>>load(Files.readString(FILE))));
  }

  /**
   * A twin of a CRD.
   *
   * @param installed the CRD as it is installed; it is not changed
   */
  ObjectNode of(ObjectNode installed) {
    ObjectNode crd = installed.deepCopy();
    crd.withObject("/metadata").put("name", crdName());
    crd.withObject("/spec").put("group", group);
    for (JsonNode version : crd.path("spec").path("versions")) {
      if (this == WITHOUT_SCHEMA) {
        ((ObjectNode) version).withObject("/schema").set("openAPIV3Schema", anything());
      } else if (this == WITHOUT_RULES) {
        takeRulesFrom(version.path("schema"));
      }
    }
    return crd;
  }

  private static ObjectNode anything() {
    return JSON.createObjectNode()
        .put("type", "object")
        .put("x-kubernetes-preserve-unknown-fields", true);
  }

  private static void takeRulesFrom(JsonNode schema) {
    if (schema instanceof ObjectNode object) {
      object.remove("x-kubernetes-validations");
    }
    schema.forEach(CrdTwin::takeRulesFrom);
  }
}
