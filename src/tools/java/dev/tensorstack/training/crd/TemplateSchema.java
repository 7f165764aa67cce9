package dev.tensorstack.training.crd;

import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaPropsBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The schema of a pod template: as much as rules of the CRD look at. The fields of the pod's spec
 * have the types that Kubernetes gives them, because a rule can only compare what has a type; below
 * them everything may be anything and nothing is pruned; the API server drops a null.
 *
 * <p>Fields without a type are named all the same: when CEL compares objects, it notices that a
 * named field was replaced by another one; of two fields that it does not know it does not.
 */
final class TemplateSchema {

  private static final long MOST_ENTRIES = 1024;
  private static final long LONGEST_STRING = 4096;
  private static final List<String> COMMAND_LINE = List.of("command", "args");

  /** A pod gets ephemeral containers while it runs; the other one is not a field. */
  private static final List<String> NOT_IN_TEMPLATES =
      List.of("additionalProperties", "ephemeralContainers");

  private static final ObjectMapper MAPPER = Serialization.jsonMapper();

  private TemplateSchema() {}

  /** The fields of a pod's spec. */
  static List<String> podFields() {
    return List.copyOf(
        properties(MAPPER.constructType(PodSpec.class), type -> anything()).keySet());
  }

  /** Fills in the schema of a template. */
  static void complete(JSONSchemaProps template) {
    Map<String, JSONSchemaProps> pod =
        properties(MAPPER.constructType(PodSpec.class), TemplateSchema::ofField);
    for (String containers : List.of("containers", "initContainers")) {
      Map<String, JSONSchemaProps> container =
          Objects.requireNonNull(pod.get(containers)).getItems().getSchema().getProperties();
      container.put("name", ofField(MAPPER.constructType(String.class)));
      COMMAND_LINE.forEach(words -> container.put(words, words()));
    }
    Map<String, JSONSchemaProps> properties = new TreeMap<>();
    properties.put("metadata", ofField(MAPPER.constructType(ObjectMeta.class)));
    properties.put("spec", object(pod));
    template.setProperties(properties);
  }

  private static JSONSchemaProps ofField(JavaType type) {
    if (type.isCollectionLikeType()) {
      return list(ofField(type.getContentType()), MOST_ENTRIES);
    }
    if (type.isMapLikeType()) {
      return ofMap(type.getContentType());
    }
    if (type.hasRawClass(String.class)) {
      return scalar("string").withMaxLength(LONGEST_STRING).build();
    }
    if (type.hasRawClass(Boolean.class)) {
      return scalar("boolean").build();
    }
    if (type.hasRawClass(Integer.class) || type.hasRawClass(Long.class)) {
      return scalar("integer").build();
    }
    return object(properties(type, field -> anything()));
  }

  private static JSONSchemaProps ofMap(JavaType values) {
    JSONSchemaProps value =
        values.hasRawClass(Quantity.class)
            ? new JSONSchemaPropsBuilder().withXKubernetesIntOrString(true).build()
            : new JSONSchemaPropsBuilder().withType("string").build();
    return new JSONSchemaPropsBuilder()
        .withType("object")
        .withMaxProperties(MOST_ENTRIES)
        .withNewAdditionalProperties()
        .withSchema(value)
        .endAdditionalProperties()
        .build();
  }

  private static JSONSchemaPropsBuilder scalar(String type) {
    return new JSONSchemaPropsBuilder().withType(type);
  }

  private static JSONSchemaProps words() {
    return list(new JSONSchemaPropsBuilder().withType("string").build(), null);
  }

  private static JSONSchemaProps list(JSONSchemaProps entry, @Nullable Long most) {
    return new JSONSchemaPropsBuilder()
        .withType("array")
        .withMaxItems(most)
        .withNewItems()
        .withSchema(entry)
        .endItems()
        .build();
  }

  private static JSONSchemaProps object(Map<String, JSONSchemaProps> properties) {
    return new JSONSchemaPropsBuilder()
        .withType("object")
        .withXKubernetesPreserveUnknownFields(true)
        .withProperties(properties)
        .build();
  }

  private static JSONSchemaProps anything() {
    return new JSONSchemaPropsBuilder().withXKubernetesPreserveUnknownFields(true).build();
  }

  /** All fields of a type of Kubernetes. */
  private static Map<String, JSONSchemaProps> properties(
      JavaType type, Function<JavaType, JSONSchemaProps> schema) {
    Map<String, JSONSchemaProps> properties = new TreeMap<>();
    MAPPER
        .getSerializationConfig()
        .introspect(type)
        .findProperties()
        .forEach(
            property -> {
              if (!NOT_IN_TEMPLATES.contains(property.getName())) {
                properties.put(property.getName(), schema.apply(property.getPrimaryType()));
              }
            });
    return properties;
  }
}
