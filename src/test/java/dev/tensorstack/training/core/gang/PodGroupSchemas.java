package dev.tensorstack.training.core.gang;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import dev.tensorstack.training.core.naming.ObjectKind;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The schemas of PodGroups in {@code src/test/resources/podgroups}. */
public final class PodGroupSchemas {

  /** The manifest with the schema, by API group; each names its source. */
  public static final Map<String, String> MANIFESTS =
      Map.of(
          "scheduler.tensorstack.dev", "t9k-crd.yaml",
          "scheduling.volcano.sh", "volcano-crd.yaml",
          "scheduling.x-k8s.io", "coscheduling-crd.yaml",
          "scheduling.k8s.io", "kubernetes-v1beta1-crd.yaml");

  private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());

  private PodGroupSchemas() {}

  /**
   * The CustomResourceDefinition of a kind.
   *
   * @param group its API group
   * @return the manifest
   */
  public static String manifest(String group) {
    String name = "/podgroups/" + Objects.requireNonNull(MANIFESTS.get(group), group);
    try (InputStream in = PodGroupSchemas.class.getResourceAsStream(name)) {
      return new String(Objects.requireNonNull(in, name).readAllBytes(), "UTF-8");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Compares a spec with the schema of its kind; no field may be unknown.
   *
   * @param kind the kind
   * @param spec the spec
   * @return what does not fit, each with its path
   */
  static List<String> problems(ObjectKind kind, Object spec) {
    List<String> problems = new ArrayList<>();
    try {
      JsonNode schema =
          YAML.readTree(manifest(kind.group()))
              .at("/spec/versions/0/schema/openAPIV3Schema/properties/spec");
      check("spec", schema, YAML.valueToTree(spec), problems);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return problems;
  }

  private static void check(String path, JsonNode schema, JsonNode value, List<String> problems) {
    boolean fits =
        schema.path("x-kubernetes-int-or-string").asBoolean()
            ? value.isInt() || value.isTextual()
            : switch (schema.path("type").asText()) {
              case "object" -> value.isObject();
              case "array" -> value.isArray();
              case "integer" -> value.isInt();
              case "string" -> value.isTextual();
              case "boolean" -> value.isBoolean();
              default -> false;
            };
    if (!fits) {
      problems.add(path + ": " + value + " is not what " + schema + " says");
    }
    if (schema.has("minimum") && value.asLong() < schema.get("minimum").asLong()) {
      problems.add(path + ": " + value + " is less than " + schema.get("minimum"));
    }
    if (schema.has("pattern") && !value.asText().matches(schema.get("pattern").asText())) {
      problems.add(path + ": " + value + " does not match " + schema.get("pattern"));
    }
    if (value.isObject()) {
      schema
          .path("required")
          .forEach(
              field -> {
                if (!value.has(field.asText())) {
                  problems.add(path + ": without " + field);
                }
              });
      for (Map.Entry<String, JsonNode> field : value.properties()) {
        JsonNode known =
            schema.has("additionalProperties")
                ? schema.get("additionalProperties")
                : schema.path("properties").path(field.getKey());
        check(path + "." + field.getKey(), known, field.getValue(), problems);
      }
    }
    for (int i = 0; value.isArray() && i < value.size(); i++) {
      check(path + "[" + i + "]", schema.path("items"), value.get(i), problems);
    }
  }
}
