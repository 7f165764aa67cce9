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
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The schema of a pod template: as much as rules of the CRD look at. The fields of the pod's spec
 * have the types that Kubernetes gives them, because a rule can only compare what has a type; below
 * them everything may be anything, nothing is pruned, and null is the same as nothing.
 *
 * <p>Fields without a type are named all the same: when CEL compares objects, it notices that a
 * named field was replaced by another one; of two fields that it does not know it does not.
 */
final class TemplateSchema {

  private static final long MOST_ENTRIES = 1024;
  private static final long LONGEST_STRING = 4096;
  private static final List<String> COMMAND_LINE = List.of("command", "args");
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
          pod.get(containers).getItems().getSchema().getProperties();
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
      JSONSchemaProps entry = ofField(type.getContentType());
      entry.setNullable(null);
      return list(entry, MOST_ENTRIES);
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
        .withNullable(true)
        .withMaxProperties(MOST_ENTRIES)
        .withNewAdditionalProperties()
        .withSchema(value)
        .endAdditionalProperties()
        .build();
  }

  private static JSONSchemaPropsBuilder scalar(String type) {
    return new JSONSchemaPropsBuilder().withType(type).withNullable(true);
  }

  private static JSONSchemaProps words() {
    return list(new JSONSchemaPropsBuilder().withType("string").build(), null);
  }

  private static JSONSchemaProps list(JSONSchemaProps entry, @Nullable Long most) {
    return new JSONSchemaPropsBuilder()
        .withType("array")
        .withNullable(true)
        .withMaxItems(most)
        .withNewItems()
        .withSchema(entry)
        .endItems()
        .build();
  }

  private static JSONSchemaProps object(Map<String, JSONSchemaProps> properties) {
    return new JSONSchemaPropsBuilder()
        .withType("object")
        .withNullable(true)
        .withXKubernetesPreserveUnknownFields(true)
        .withProperties(properties)
        .build();
  }

  private static JSONSchemaProps anything() {
    return new JSONSchemaPropsBuilder()
        .withNullable(true)
        .withXKubernetesPreserveUnknownFields(true)
        .build();
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
              if (!property.getName().equals("additionalProperties")) {
                properties.put(property.getName(), schema.apply(property.getPrimaryType()));
              }
            });
    return properties;
  }
}
