package dev.tensorstack.training.reference;

import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceColumnDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinitionNames;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinitionVersion;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The reference page of a kind's API, made from the CRD and so from the types.
 *
 * <p>Fields of a list's entries are named {@code list[].field}, those of a map's values {@code
 * map.*.field}.
 */
public final class ApiReference {

  private static final String POD_TEMPLATE = "core/v1 PodTemplateSpec";
  private static final String METRIC = "autoscaling/v2 MetricSpec";

  /** Limits from here on are above anything useful and said once, for all strings. */
  private static final long LONG = 2048;

  /** Of {@code PyTorchTrainingJob}. */
  public static final ApiReference TRAINING_JOB =
      new ApiReference(
          Path.of("docs/reference/api.md"),
          CrdManifest::generate,
          "# API reference",
          "Strings have at most 4096 characters, those of `extraOptions` 2048, those of `command`"
              + " and `args` 131072. What the values of fields have to be beside the constraints"
              + " below is in the [rules of admission](admission.md).",
          Map.of(
              "spec.elastic.metrics[]",
              METRIC,
              "spec.tensorboardSpec.resources",
              "core/v1 ResourceRequirements",
              "spec.replicaSpecs[].template",
              POD_TEMPLATE,
              "status.tensorboard.dependent",
              "core/v1 ObjectReference"));

  /** Of {@code PyTorchJob}. */
  public static final ApiReference PYTORCH_JOB =
      new ApiReference(
          Path.of("docs/reference/api-pytorchjob.md"),
          PyTorchJobCrd::generate,
          "# API reference of PyTorchJob",
          "The schema refuses nothing that Kubeflow's own takes. What the values of fields have to"
              + " be is in the [rules of admission](admission-pytorchjob.md), and what the operator"
              + " does with them in [PyTorchJob](pytorchjob.md). A default is stored only where it"
              + " stands among the constraints.",
          Map.of(
              "spec.elasticPolicy.metrics[]",
              METRIC,
              "spec.pytorchReplicaSpecs.*.template",
              POD_TEMPLATE,
              "spec.runPolicy.schedulingPolicy.minResources",
              "core/v1 ResourceList",
              "status.ledger",
              "as in [the other kind](api.md#status)"));

  private final Path file;
  private final Supplier<String> manifest;
  private final String title;
  private final String introduction;
  private final Map<String, String> documentedElsewhere;

  /**
   * The page of a kind.
   *
   * @param file where the project keeps it, relative to the checkout
   * @param manifest makes the CRD
   * @param title the page's heading
   * @param introduction what is said of all fields together
   * @param documentedElsewhere shapes that are documented already, by their path: named, not
   *     repeated
   */
  private ApiReference(
      Path file,
      Supplier<String> manifest,
      String title,
      String introduction,
      Map<String, String> documentedElsewhere) {
    this.file = file;
    this.manifest = manifest;
    this.title = title;
    this.introduction = introduction;
    this.documentedElsewhere = documentedElsewhere;
  }

  /**
   * Where the project keeps the page.
   *
   * @return a path, relative to the checkout
   */
  public Path file() {
    return file;
  }

  /**
   * Generates the page.
   *
   * @return Markdown
   */
  public String generate() {
    CustomResourceDefinition crd =
        Serialization.unmarshal(manifest.get(), CustomResourceDefinition.class);
    CustomResourceDefinitionNames names = crd.getSpec().getNames();
    CustomResourceDefinitionVersion version = crd.getSpec().getVersions().get(0);
    JSONSchemaProps root = version.getSchema().getOpenAPIV3Schema();
    StringBuilder page = new StringBuilder();
    page.append(title)
        .append("\n\n<!-- Made from the API types by GeneratedFilesTest; do not edit. -->\n\n`")
        .append(crd.getSpec().getGroup())
        .append("/")
        .append(version.getName())
        .append("`, kind `")
        .append(names.getKind())
        .append("`, plural `")
        .append(names.getPlural())
        .append("`, ")
        .append(all("short name", names.getShortNames()))
        .append(all("categories", names.getCategories()))
        .append(crd.getSpec().getScope().toLowerCase(Locale.ROOT))
        .append("; subresources `status` and `scale`, which changes `")
        .append(version.getSubresources().getScale().getSpecReplicasPath().substring(1))
        .append("`. Needs Kubernetes 1.30 or newer.\n\n")
        .append(introduction)
        .append("\n\n");
    columns(page, version.getAdditionalPrinterColumns());
    section(page, "Spec", "spec", root.getProperties().get("spec"));
    section(page, "Status", "status", root.getProperties().get("status"));
    return page.toString();
  }

  private static String all(String what, @Nullable List<String> words) {
    return words == null || words.isEmpty() ? "" : what + " `" + String.join("`, `", words) + "`, ";
  }

  private static void columns(StringBuilder page, List<CustomResourceColumnDefinition> columns) {
    page.append("## Columns of kubectl get\n\n| Column | Shown | Value |\n|---|---|---|\n");
    columns.forEach(
        column ->
            page.append("| ")
                .append(column.getName().toUpperCase(Locale.ROOT))
                .append(" | ")
                .append(column.getPriority() == 0 ? "always" : "`-o wide`")
                .append(" | `")
                .append(column.getJsonPath())
                .append("` |\n"));
    page.append("\n");
  }

  private void section(StringBuilder page, String title, String path, JSONSchemaProps schema) {
    page.append("## ").append(title).append("\n\n");
    page.append("| Field | Type | Constraints | Meaning |\n|---|---|---|---|\n");
    rows(page, path, schema);
    page.append("\n");
  }

  private void rows(StringBuilder page, String path, JSONSchemaProps schema) {
    if (schema.getProperties() == null) {
      return;
    }
    List<Map.Entry<String, JSONSchemaProps>> fields =
        new ArrayList<>(new TreeMap<>(schema.getProperties()).entrySet());
    fields.sort(Comparator.comparing(Map.Entry::getKey));
    for (Map.Entry<String, JSONSchemaProps> field : fields) {
      JSONSchemaProps value = field.getValue();
      String name = path + "." + field.getKey();
      boolean list = "array".equals(value.getType());
      JSONSchemaProps item = list ? value.getItems().getSchema() : value;
      String full = list ? name + "[]" : name;
      String elsewhere = documentedElsewhere.get(full);
      page.append("| `")
          .append(full)
          .append("` | ")
          .append(elsewhere == null ? type(item) : elsewhere)
          .append(" | ")
          .append(constraints(schema, field.getKey(), value, item))
          .append(" | ")
          .append(value.getDescription() == null ? "" : value.getDescription().replace("|", "\\|"))
          .append(" |\n");
      JSONSchemaProps values = values(item);
      if (elsewhere == null && values != null) {
        rows(page, full + ".*", values);
      } else if (elsewhere == null) {
        rows(page, full, item);
      }
    }
  }

  /** What the values of a map are; null for anything else. */
  private static @Nullable JSONSchemaProps values(JSONSchemaProps schema) {
    return schema.getAdditionalProperties() == null
        ? null
        : schema.getAdditionalProperties().getSchema();
  }

  private static String type(JSONSchemaProps schema) {
    if (Boolean.TRUE.equals(schema.getXKubernetesIntOrString())) {
      return "integer or string";
    }
    JSONSchemaProps values = values(schema);
    return values == null ? schema.getType() : "map of " + type(values);
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
    if (field.getDefault() != null) {
      constraints.add("default `" + field.getDefault().asText() + "`");
    }
    if (field.getXKubernetesListMapKeys() != null && !field.getXKubernetesListMapKeys().isEmpty()) {
      constraints.add("key `" + String.join("`, `", field.getXKubernetesListMapKeys()) + "`");
    }
    return String.join("; ", constraints);
  }
}
