package dev.tensorstack.training.chart;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tensorstack.training.reference.CrdManifest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What the chart renders. {@code -Dupdate} writes {@code src/test/resources/helm/golden} anew: read
 * the difference before it is committed.
 */
class ChartRenderingIT {

  private final Helm helm = Helm.withoutCluster();

  static Stream<String> valueSets() {
    return ChartFiles.valueSets();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("valueSets")
  void isFreeOfHelmsComplaints(String set) {
    helm.run(
            "lint",
            "--strict",
            ChartFiles.CHART.toString(),
            "--values",
            ChartFiles.values(set).toString())
        .orThrow();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("valueSets")
  void rendersWhatItDidBefore(String set) throws IOException {
    Path golden = ChartFiles.golden(set);
    String rendered =
        withoutCopies(
            helm.template("--values", ChartFiles.values(set).toString())
                .orThrow()
                .replace(ChartFiles.version(), "VERSION"));
    if (System.getProperty("update") != null) {
      Files.createDirectories(golden.getParent());
      Files.writeString(golden, rendered);
    }
    assertThat(rendered)
        .as("%s; if it is meant, run this test with -Dupdate", golden)
        .isEqualTo(ChartFiles.text(golden));
  }

  /** Large files that are only passed on have tests of their own. */
  private static String withoutCopies(String rendered) {
    return Stream.of(rendered.split("(?m)^---\n", -1))
        .filter(document -> !document.isBlank())
        .map(
            document ->
                document.contains("kind: CustomResourceDefinition\n")
                    ? document.replaceFirst("(?s)\nspec:\n.*", "\nspec: {} # the CRD's\n")
                    : document)
        .map(
            document ->
                document.contains("/templates/dashboards.yaml\n")
                    ? document.replaceFirst("(?s)\ndata:\n.*", "\ndata: {} # a dashboard\n")
                    : document)
        .collect(Collectors.joining("---\n", "---\n", ""));
  }

  @Test
  void theSchemaRefusesAnUnknownValueEverywhere() throws IOException {
    ObjectNode values = (ObjectNode) ChartFiles.yaml(ChartFiles.CHART.resolve("values.yaml"));
    JsonNode schema = ChartFiles.json(ChartFiles.CHART.resolve("values.schema.json"));
    List<String> places = new ArrayList<>();
    addUnknown("", values, schema, schema, places);
    assertThat(places).contains("", "/image", "/webhook/certificates/certManager");

    Path file = Files.createTempFile("values", ".yaml");
    HelmResult result;
    try {
      Files.writeString(file, values.toString());
      result = helm.template("--values", file.toString());
    } finally {
      Files.delete(file);
    }

    assertThat(result.exitCode()).isNotZero();
    assertThat(result.stderr().lines().map(String::strip))
        .containsAll(
            places.stream()
                .map(place -> "- at '" + place + "': additional properties 'unknown' not allowed")
                .toList());
  }

  private static void addUnknown(
      String place, ObjectNode values, JsonNode schema, JsonNode root, List<String> places) {
    for (var property : List.copyOf(values.properties())) {
      JsonNode declared = resolve(schema.at("/properties/" + property.getKey()), root);
      if (property.getValue() instanceof ObjectNode object && declared.has("properties")) {
        addUnknown(place + "/" + property.getKey(), object, declared, root, places);
      }
    }
    values.put("unknown", 1);
    places.add(place);
  }

  private static JsonNode resolve(JsonNode schema, JsonNode root) {
    return schema.has("$ref") ? root.at(schema.get("$ref").asText().substring(1)) : schema;
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "replicas=2,leaderElection.enabled=false | /leaderElection/enabled",
        "webhook.certificates.mode=provided | /webhook/certificates/secretName",
        "webhook.certificates.mode=selfsigned | /webhook/certificates/mode",
        "settings.nodeLossGrace=soon | /settings/nodeLossGrace",
        "webhook.timeoutSeconds=31 | /webhook/timeoutSeconds",
        "commonLabels.app\\.kubernetes\\.io/name=other | invalid propertyName",
        "image.digest=latest | /image/digest",
        "webhook.certificates.certManager.issuerRef.kind=ClusterIssuer | /webhook/certificates",
        "webhook.clientCA=none | /webhook/clientCA",
        "webhook.clientNames={a} | without webhook.clientCA",
        "metrics.service.enabled=false,metrics.serviceMonitor.enabled=true |"
            + " metrics.service.enabled: true",
      })
  void refusesWhatCannotWorkAndSaysWhere(String values, String place) {
    HelmResult result = helm.template("--set", values);

    assertThat(result.exitCode()).isNotZero();
    assertThat(result.stderr()).contains(place);
  }

  @Test
  void theCrdIsTheProjectsButForLabelsAndAnnotations() {
    JsonNode rendered = ChartFiles.ofKind(render(), "CustomResourceDefinition").get(0);
    JsonNode project = ChartFiles.documents(CrdManifest.generate()).get(0);

    assertThat(rendered.get("spec")).isEqualTo(project.get("spec"));
    assertThat(rendered.at("/metadata/name")).isEqualTo(project.at("/metadata/name"));
    assertThat(rendered.at("/metadata/annotations/helm.sh~1resource-policy").asText())
        .isEqualTo("keep");
    assertThat(
            ChartFiles.ofKind(render("--set", "crds.keep=false"), "CustomResourceDefinition")
                .get(0)
                .at("/metadata")
                .has("annotations"))
        .isFalse();
    assertThat(ChartFiles.ofKind(render("--set", "crds.install=false"), "CustomResourceDefinition"))
        .isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"Mutating", "Validating"})
  void theWebhooksAreThoseOfTheManifests(String kind) {
    String wanted = kind + "WebhookConfiguration";
    JsonNode rendered = ChartFiles.ofKind(render(), wanted).get(0);
    JsonNode manifest = ChartFiles.ofKind(manifests(), wanted).get(0);

    assertThat(rendered.get("webhooks")).isEqualTo(manifest.get("webhooks"));
    assertThat(rendered.at("/metadata/name")).isEqualTo(manifest.at("/metadata/name"));
  }

  @Test
  void theWebhooksServiceIsThatOfTheManifests() {
    JsonNode manifest = ChartFiles.ofKind(manifests(), "Service").get(0);
    JsonNode rendered =
        ChartFiles.ofKind(render(), "Service").stream()
            .filter(service -> service.at("/metadata/name").equals(manifest.at("/metadata/name")))
            .findFirst()
            .orElseThrow();

    assertThat(rendered.at("/spec/ports/0/port")).isEqualTo(manifest.at("/spec/ports/0/port"));
    assertThat(rendered.at("/metadata/namespace")).isEqualTo(manifest.at("/metadata/namespace"));
    assertThat(manifest.at("/spec/selector").properties())
        .allSatisfy(
            label ->
                assertThat(podLabels(render()).path(label.getKey())).isEqualTo(label.getValue()));
  }

  private static JsonNode podLabels(List<JsonNode> objects) {
    return ChartFiles.ofKind(objects, "Deployment").get(0).at("/spec/template/metadata/labels");
  }

  @Test
  void theRightsAreThoseOfTheManifests() {
    assertThat(Rights.given(render(), Helm.RELEASE))
        .isEqualTo(Rights.given(manifests(), Helm.RELEASE));
  }

  @Test
  void theRightsToJobsAreThoseThatTheSecurityPageLists() {
    SortedSet<String> rights = new TreeSet<>();
    Rights.given(render(), Helm.RELEASE).stream()
        .filter(right -> right.startsWith("cluster: "))
        .filter(right -> !right.contains("admissionregistration"))
        .forEach(rights::add);

    assertThat(rights).isEqualTo(Rights.told(ChartFiles.text(Path.of("SECURITY.md"))));
  }

  @Test
  void inNamedNamespacesThereIsNoRightToJobsElsewhere() {
    List<JsonNode> objects =
        render(
            "--set",
            "watchNamespaces={a,b}",
            "--set",
            "webhook.certificates.mode=certManager,rbac.aggregateRoles=false");

    assertThat(ChartFiles.ofKind(objects, "ClusterRole")).isEmpty();
    assertThat(Rights.given(objects, Helm.RELEASE))
        .contains("a: pods create", "b: pods create")
        .noneMatch(right -> right.contains("nodes"))
        .noneMatch(right -> right.contains("secrets"));
    assertThat(Rights.given(render("--set", "watchNamespaces={a},rbac.nodes=true"), Helm.RELEASE))
        .contains("cluster: nodes watch");
    assertThat(
            ChartFiles.ofKind(objects, "ValidatingWebhookConfiguration")
                .get(0)
                .at("/webhooks/0/namespaceSelector/matchExpressions/0")
                .toString())
        .contains("\"In\"", "\"a\",\"b\"");
  }

  @Test
  void nobodyMayWriteTheCaBundleWhenItIsGivenOrInjected() {
    for (String set : List.of("cert-manager", "provided")) {
      assertThat(Rights.given(render("--values", ChartFiles.values(set).toString()), Helm.RELEASE))
          .as(set)
          .noneMatch(right -> right.contains("webhookconfigurations"))
          .noneMatch(right -> right.contains("secrets"));
    }
    assertThat(
            Rights.given(
                render(
                    "--set",
                    "webhook.certificates.mode=provided,webhook.certificates.secretName=ours"),
                Helm.RELEASE))
        .anyMatch(right -> right.contains("webhookconfigurations"))
        .noneMatch(right -> right.contains("secrets"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("valueSets")
  void servicesAndPoliciesFindThePodsAndNotTheTest(String set) {
    List<JsonNode> objects = render("--values", ChartFiles.values(set).toString());
    JsonNode labels = podLabels(objects);
    Stream<JsonNode> selectors =
        Stream.of(
                ChartFiles.ofKind(objects, "Service").stream()
                    .map(service -> service.at("/spec/selector")),
                ChartFiles.ofKind(objects, "PodDisruptionBudget").stream()
                    .map(budget -> budget.at("/spec/selector/matchLabels")),
                ChartFiles.ofKind(objects, "NetworkPolicy").stream()
                    .map(policy -> policy.at("/spec/podSelector/matchLabels")),
                ChartFiles.ofKind(objects, "Deployment").stream()
                    .map(deployment -> deployment.at("/spec/selector/matchLabels")))
            .flatMap(stream -> stream);
    List<JsonNode> tests = ChartFiles.ofKind(objects, "Pod");

    assertThat(selectors)
        .isNotEmpty()
        .allSatisfy(
            selector -> {
              assertThat(matches(selector, labels)).isTrue();
              assertThat(tests).noneMatch(pod -> matches(selector, pod.at("/metadata/labels")));
            });
  }

  private static boolean matches(JsonNode selector, JsonNode labels) {
    return selector.properties().stream()
        .allMatch(label -> Objects.equals(labels.get(label.getKey()), label.getValue()));
  }

  private List<JsonNode> render(String... arguments) {
    return ChartFiles.documents(helm.template(arguments).orThrow());
  }

  private static List<JsonNode> manifests() {
    return ChartFiles.list(ChartFiles.MANIFESTS)
        .flatMap(file -> ChartFiles.documents(ChartFiles.text(file)).stream())
        .toList();
  }
}
