package dev.tensorstack.training.reference;

import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The reference page of the API, made from the CRD and so from the types. */
public final class ApiReference {

  /** Where the project keeps the page, relative to the checkout. */
  public static final Path FILE = Path.of("docs/reference/api.md");

  /** Shapes that Kubernetes documents itself: named, not repeated. */
  private static final Map<String, String> DOCUMENTED_ELSEWHERE =
      Map.of(
          "spec.elastic.metrics[]", "autoscaling/v2 MetricSpec",
          "spec.tensorboardSpec.resources", "core/v1 ResourceRequirements",
          "spec.replicaSpecs[].template", "core/v1 PodTemplateSpec",
          "status.tensorboard.dependent", "core/v1 ObjectReference");

  /** Limits from here on are above anything useful and said once, for all strings. */
  private static final long LONG = 2048;

  private ApiReference() {}

  /**
   * Generates the page.
   *
   * @return Markdown
   */
  public static String generate() {
    CustomResourceDefinition crd =
        Serialization.unmarshal(CrdManifest.generate(), CustomResourceDefinition.class);
    var version = crd.getSpec().getVersions().get(0);
    JSONSchemaProps root = version.getSchema().getOpenAPIV3Schema();
    StringBuilder page = new StringBuilder();
    page.append("# API reference\n\n")
        .append("<!-- Made from the API types by GeneratedFilesTest; do not edit. -->\n\n")
        .append("`")
        .append(crd.getSpec().getGroup())
        .append("/")
        .append(version.getName())
        .append("`, kind `")
        .append(crd.getSpec().getNames().getKind())
        .append("`, plural `")
        .append(crd.getSpec().getNames().getPlural())
        .append("`, short name `")
        .append(String.join("`, `", crd.getSpec().getNames().getShortNames()))
        .append("`, categories `")
        .append(String.join("`, `", crd.getSpec().getNames().getCategories()))
        .append("`, ")
        .append(crd.getSpec().getScope().toLowerCase(java.util.Locale.ROOT))
        .append("; subresources `status` and `scale`. Needs Kubernetes 1.30 or newer.\n\n")
        .append("Strings have at most 4096 characters, those of `extraOptions` 2048, those of ")
        .append("`command` and `args` 131072. What the values of fields have to be beside the ")
        .append("constraints below is in the [rules of admission](admission.md).\n\n");
    columns(page, version.getAdditionalPrinterColumns());
    section(page, "Spec", "spec", root.getProperties().get("spec"));
    section(page, "Status", "status", root.getProperties().get("status"));
    return page.toString();
  }

  private static void columns(
      StringBuilder page,
      List<io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceColumnDefinition>
          columns) {
    page.append("## Columns of kubectl get\n\n| Column | Shown | Value |\n|---|---|---|\n");
    columns.forEach(
        column ->
            page.append("| ")
                .append(column.getName().toUpperCase(java.util.Locale.ROOT))
                .append(" | ")
                .append(column.getPriority() == 0 ? "always" : "`-o wide`")
                .append(" | `")
                .append(column.getJsonPath())
                .append("` |\n"));
    page.append("\n");
  }

  private static void section(
      StringBuilder page, String title, String path, JSONSchemaProps schema) {
    page.append("## ").append(title).append("\n\n");
    page.append("| Field | Type | Constraints | Meaning |\n|---|---|---|---|\n");
    rows(page, path, schema);
    page.append("\n");
  }

  private static void rows(StringBuilder page, String path, JSONSchemaProps schema) {
    List<Map.Entry<String, JSONSchemaProps>> fields =
        new ArrayList<>(new TreeMap<>(schema.getProperties()).entrySet());
    fields.sort(Comparator.comparing(Map.Entry::getKey));
    for (Map.Entry<String, JSONSchemaProps> field : fields) {
      JSONSchemaProps value = field.getValue();
      String name = path + "." + field.getKey();
      boolean list = "array".equals(value.getType());
      JSONSchemaProps item = list ? value.getItems().getSchema() : value;
      String full = list ? name + "[]" : name;
      page.append("| `")
          .append(full)
          .append("` | ")
          .append(DOCUMENTED_ELSEWHERE.getOrDefault(full, type(item)))
          .append(" | ")
          .append(constraints(schema, field.getKey(), value, item))
          .append(" | ")
          .append(value.getDescription() == null ? "" : value.getDescription().replace("|", "\\|"))
          .append(" |\n");
      if (!DOCUMENTED_ELSEWHERE.containsKey(full) && item.getProperties() != null) {
        rows(page, full, item);
      }
    }
  }

  private static String type(JSONSchemaProps schema) {
    if (Boolean.TRUE.equals(schema.getXKubernetesIntOrString())) {
      return "integer or string";
    }
    return schema.getType();
  }

  private static String constraints(
      JSONSchemaProps parent, String name, JSONSchemaProps field, JSONSchemaProps item) {
    List<String> constraints = new ArrayList<>();
    if (parent.getRequired() != null && parent.getRequired().contains(name)) {
      constraints.add("required");
    }
    if (item.getEnum() != null && !item.getEnum().isEmpty()) {
      constraints.add(
          "one of "
              + String.join(
                  ", ", item.getEnum().stream().map(word -> "`" + word.asText() + "`").toList()));
    }
    if (item.getMinimum() != null) {
      constraints.add("≥ " + item.getMinimum().longValue());
    }
    if (item.getMaximum() != null) {
      constraints.add("≤ " + item.getMaximum().longValue());
    }
    if (field.getMinItems() != null) {
      constraints.add("at least " + field.getMinItems() + " entry");
    }
    if (field.getMaxItems() != null) {
      constraints.add("at most " + field.getMaxItems() + " entries");
    }
    if (item.getPattern() != null) {
      constraints.add("`" + item.getPattern().replace("|", "\\|") + "`");
    }
    if (item.getMaxLength() != null && item.getMaxLength() < LONG) {
      constraints.add("at most " + item.getMaxLength() + " characters");
    }
    if (field.getXKubernetesListMapKeys() != null && !field.getXKubernetesListMapKeys().isEmpty()) {
      constraints.add("key `" + String.join("`, `", field.getXKubernetesListMapKeys()) + "`");
    }
    return String.join("; ", constraints);
  }
}
