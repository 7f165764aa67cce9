package dev.tensorstack.training.crd;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaPropsBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * The schema of a pod template: as much as rules of the CRD look at. Nothing is pruned, and what
 * has no type here may be anything.
 *
 * <p>Fields without a type are named all the same: when CEL compares objects, it notices that a
 * named field was replaced by another one; of two fields that it does not know it does not.
 */
final class TemplateSchema {

  private static final long MOST_CONTAINERS = 1024;
  private static final long MOST_WORDS = 65_536;
  private static final long LONGEST_NAME = 1024;

  private TemplateSchema() {}

  /** Fills in the schema of a template. */
  static void complete(JSONSchemaProps template) {
    JSONSchemaProps containers =
        new JSONSchemaPropsBuilder()
            .withType("array")
            .withNullable(true)
            .withMaxItems(MOST_CONTAINERS)
            .withNewItems()
            .withSchema(container())
            .endItems()
            .build();
    Map<String, JSONSchemaProps> spec = anything(PodSpec.class);
    spec.put("containers", containers);
    spec.put("initContainers", containers);
    spec.put("restartPolicy", name());
    spec.put("schedulerName", name());
    Map<String, JSONSchemaProps> properties = new LinkedHashMap<>();
    properties.put("metadata", anything());
    properties.put("spec", object(spec));
    template.setProperties(properties);
  }

  private static JSONSchemaProps container() {
    JSONSchemaProps words =
        new JSONSchemaPropsBuilder()
            .withType("array")
            .withNullable(true)
            .withMaxItems(MOST_WORDS)
            .withNewItems()
            .withNewSchema()
            .withType("string")
            .endSchema()
            .endItems()
            .build();
    Map<String, JSONSchemaProps> properties = anything(Container.class);
    properties.put("args", words);
    properties.put("command", words);
    properties.put("name", name());
    return new JSONSchemaPropsBuilder(object(properties)).withNullable(null).build();
  }

  private static JSONSchemaProps object(Map<String, JSONSchemaProps> properties) {
    return new JSONSchemaPropsBuilder()
        .withType("object")
        .withNullable(true)
        .withXKubernetesPreserveUnknownFields(true)
        .withProperties(properties)
        .build();
  }

  private static JSONSchemaProps name() {
    return new JSONSchemaPropsBuilder()
        .withType("string")
        .withNullable(true)
        .withMaxLength(LONGEST_NAME)
        .build();
  }

  private static JSONSchemaProps anything() {
    return new JSONSchemaPropsBuilder()
        .withNullable(true)
        .withXKubernetesPreserveUnknownFields(true)
        .build();
  }

  /** All fields of a type of Kubernetes, without their types. */
  private static Map<String, JSONSchemaProps> anything(Class<?> type) {
    Map<String, JSONSchemaProps> properties = new TreeMap<>();
    var mapper = Serialization.jsonMapper();
    mapper
        .getSerializationConfig()
        .introspect(mapper.constructType(type))
        .findProperties()
        .forEach(
            property -> {
              if (property.couldSerialize() && !property.getName().equals("additionalProperties")) {
                properties.put(property.getName(), anything());
              }
            });
    return properties;
  }
}
