package dev.tensorstack.training.crd;

import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaPropsBuilder;
import java.util.Map;
import java.util.TreeMap;

/**
 * The schema of a pod template: what people get wrong, a number among the words of a command line;
 * and what rules read, as an API server drops a null only of a field that it knows. All else may be
 * anything, and nothing is pruned: the API server looks at the whole template with each status that
 * is written, and each field that has a type costs it time.
 */
final class TemplateSchema {

  private static final JSONSchemaProps STRING =
      new JSONSchemaPropsBuilder().withType("string").build();

  private TemplateSchema() {}

  /** Fills in the schema of a template. */
  static void complete(JSONSchemaProps template) {
    JSONSchemaProps containers =
        list(object(Map.of("name", STRING, "command", list(STRING), "args", list(STRING))));
    JSONSchemaProps pod =
        object(
            Map.of(
                "containers", containers,
                "initContainers", containers,
                "restartPolicy", STRING,
                "schedulerName", STRING));
    template.setProperties(Map.of("spec", pod));
  }

  private static JSONSchemaProps list(JSONSchemaProps entry) {
    return new JSONSchemaPropsBuilder()
        .withType("array")
        .withNewItems()
        .withSchema(entry)
        .endItems()
        .build();
  }

  private static JSONSchemaProps object(Map<String, JSONSchemaProps> properties) {
    return new JSONSchemaPropsBuilder()
        .withType("object")
        .withXKubernetesPreserveUnknownFields(true)
        .withProperties(new TreeMap<>(properties))
        .build();
  }
}
