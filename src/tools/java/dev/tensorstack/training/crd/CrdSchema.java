package dev.tensorstack.training.crd;

import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaPropsBuilder;
import io.fabric8.kubernetes.api.model.apiextensions.v1.ValidationRule;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Puts the rules into the schema of the CRD, and the limits without which they cost too much. */
public final class CrdSchema {

  /** Strings have a limit because rules read them; it is far above what is useful. */
  private static final long LONGEST_STRING = 4096;

  /** EnumNames of a command line may be whole programs: Linux takes no longer ones. */
  private static final Map<String, Long> LONGEST =
      Map.of("command", 131_072L, "args", 131_072L, "extraOptions", 2048L);

  /** Shapes of Kubernetes that no rule looks at. */
  private static final Set<String> NOT_OURS = Set.of("template", "metrics", "resources");

  private CrdSchema() {}

  /**
   * Completes a schema.
   *
   * @param root the schema of the whole object, as it follows from the types; it is changed
   */
  public static void complete(JSONSchemaProps root) {
    root.getProperties()
        .put(
            "metadata",
            new JSONSchemaPropsBuilder()
                .withType("object")
                .addToProperties("name", new JSONSchemaPropsBuilder().withType("string").build())
                .build());
    // One writer writes it whole: who manages which field of it would be half of what is stored of
    // it.
    find(root, "status").setXKubernetesMapType("atomic");
    limits("spec", find(root, "spec"));
    TemplateSchema.complete(find(root, "spec.replicaSpecs[].template"));
    for (CelRule rule : CrdRules.rules()) {
      if (!CrdRules.isOfSchema(rule)) {
        continue;
      }
      JSONSchemaProps schema = find(root, rule.at());
      List<ValidationRule> rules = new ArrayList<>();
      if (schema.getXKubernetesValidations() != null) {
        rules.addAll(schema.getXKubernetesValidations());
      }
      rules.addAll(rule.toSchema());
      schema.setXKubernetesValidations(rules);
    }
  }

  private static JSONSchemaProps find(JSONSchemaProps root, String path) {
    JSONSchemaProps schema = root;
    for (String step : path.isEmpty() ? new String[0] : path.split("[.]")) {
      String name = step.replace("[]", "");
      schema = schema.getProperties().get(name);
      if (schema == null) {
        throw new IllegalStateException("there is no " + name + " in the schema of " + path);
      }
      if (step.endsWith("[]")) {
        schema = schema.getItems().getSchema();
      }
    }
    return schema;
  }

  /** Numbers are those that the Java types can hold, strings and lists are not endless. */
  private static void limits(String name, JSONSchemaProps schema) {
    if (NOT_OURS.contains(name)) {
      return;
    }
    boolean anyLength =
        schema.getMaxLength() == null && (schema.getEnum() == null || schema.getEnum().isEmpty());
    if (anyLength
        && ("string".equals(schema.getType())
            || Boolean.TRUE.equals(schema.getXKubernetesIntOrString()))) {
      schema.setMaxLength(LONGEST.getOrDefault(name, LONGEST_STRING));
    }
    if ("integer".equals(schema.getType())) {
      schema.setFormat(name.equals("activeDeadlineSeconds") ? "int64" : "int32");
    }
    if (schema.getItems() != null) {
      limits(name, schema.getItems().getSchema());
    }
    if (schema.getProperties() != null) {
      for (Map.Entry<String, JSONSchemaProps> property : schema.getProperties().entrySet()) {
        limits(property.getKey(), property.getValue());
      }
    }
  }
}
