package dev.tensorstack.training.release;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tensorstack.training.chart.ChartFiles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The bundle for the Operator Lifecycle Manager is what the chart renders, in OLM's form. */
class OlmBundleTest {

  private static final String NAME = "pytorchtrainingjob-operator";
  private static final Path OLM = Path.of("src/main/olm");
  private static final ObjectMapper JSON = new ObjectMapper();

  /**
   * The kinds that OLM takes from a bundle beside the ClusterServiceVersion, as far as the chart
   * has them: https://olm.operatorframework.io/docs/tasks/creating-operator-manifests.
   */
  private static final Set<String> SUPPORTED =
      Set.of("ClusterRole", "CustomResourceDefinition", "PodDisruptionBudget", "Service");

  private final Path folder;

  private List<JsonNode> rendered = List.of();
  private JsonNode csv = JSON.createObjectNode();
  private Path bundle = Path.of("");

  OlmBundleTest(@TempDir Path folder) {
    this.folder = folder;
  }

  @BeforeEach
  void make() throws Exception {
    Path rendering = Rendering.write(folder, "olm");
    bundle = folder.resolve("bundle");
    Script.run(
            Map.of(),
            "release-files",
            "bundle",
            rendering.toString(),
            Rendering.REPOSITORY,
            bundle.toString())
        .orThrow();
    rendered = ChartFiles.documents(ChartFiles.text(rendering));
    csv = ChartFiles.yaml(bundle.resolve("manifests/" + NAME + ".clusterserviceversion.yaml"));
  }

  private JsonNode rendered(String kind, String name) {
    return ChartFiles.ofKind(rendered, kind).stream()
        .filter(object -> object.at("/metadata/name").asText().equals(name))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void itIsRenderedWithTheValuesOfTheRelease() {
    assertThat(ChartFiles.values("olm")).hasSameTextualContentAs(OLM.resolve("values.yaml"));
  }

  @Test
  void itHasTheFoldersAndLabelsOfABundle() throws Exception {
    Map<String, String> annotations = new TreeMap<>();
    ChartFiles.yaml(bundle.resolve("metadata/annotations.yaml"))
        .path("annotations")
        .properties()
        .forEach(entry -> annotations.put(entry.getKey(), entry.getValue().asText()));
    String prefix = "operators.operatorframework.io.bundle.";
    assertThat(annotations)
        .containsEntry(prefix + "mediatype.v1", "registry+v1")
        .containsEntry(prefix + "manifests.v1", "manifests/")
        .containsEntry(prefix + "metadata.v1", "metadata/")
        .containsEntry(prefix + "package.v1", NAME);
    assertThat(List.of(annotations.getOrDefault(prefix + "channels.v1", "").split(",")))
        .contains(annotations.get(prefix + "channel.default.v1"));

    List<String> expected = new ArrayList<>(List.of("FROM scratch"));
    annotations.forEach((key, value) -> expected.add("LABEL " + key + "=" + value));
    expected.add("COPY manifests /manifests/");
    expected.add("COPY metadata /metadata/");
    assertThat(Files.readAllLines(bundle.resolve("bundle.Dockerfile")))
        .containsExactlyInAnyOrderElementsOf(expected);
  }

  @Test
  void itsOtherManifestsAreOfKindsThatOlmTakes() {
    List<JsonNode> others =
        ChartFiles.list(bundle.resolve("manifests"))
            .filter(file -> !file.toString().endsWith(".clusterserviceversion.yaml"))
            .map(ChartFiles::yaml)
            .toList();
    assertThat(others)
        .isNotEmpty()
        .allSatisfy(
            object -> {
              assertThat(SUPPORTED).contains(object.path("kind").asText());
              assertThat(object.at("/metadata/namespace").isMissingNode()).isTrue();
            });
    assertThat(others)
        .filteredOn(object -> object.path("kind").asText().equals("CustomResourceDefinition"))
        .allSatisfy(
            crd ->
                assertThat(crd.path("spec"))
                    .isEqualTo(
                        ChartFiles.yaml(
                                ChartFiles.MANIFESTS.resolve(
                                    crd.at("/metadata/name").asText() + "-v1.yml"))
                            .path("spec")))
        .hasSize(1);
  }

  @Test
  void itIsCalledAfterTheVersionAndHasItsImage() {
    String version = ChartFiles.version();
    assertThat(csv.path("kind").asText()).isEqualTo("ClusterServiceVersion");
    assertThat(csv.at("/metadata/name").asText()).isEqualTo(NAME + ".v" + version);
    assertThat(csv.at("/spec/version").asText()).isEqualTo(version);
    String image = Rendering.IMAGE + ":" + version;
    assertThat(csv.at("/metadata/annotations/containerImage").asText()).isEqualTo(image);
    assertThat(csv.at("/spec/relatedImages/0/image").asText()).isEqualTo(image);
    assertThat(deployment().at("/template/spec/containers/0/image").asText()).isEqualTo(image);
    assertThat(csv.toString()).doesNotContain("OWNER").doesNotContainPattern("@[A-Z_]+@");
  }

  private JsonNode deployment() {
    return csv.at("/spec/install/spec/deployments/0/spec");
  }

  @Test
  void theDeploymentAndTheRightsAreThoseOfTheChart() {
    ObjectNode deployment = rendered("Deployment", NAME).path("spec").deepCopy();
    for (JsonNode volume : deployment.at("/template/spec/volumes")) {
      if (volume.path("secret") instanceof ObjectNode secret) {
        assertThat(secret.path("secretName").asText())
            .as("OLM's name for it")
            .isEqualTo(NAME + "-service-cert");
        // A group that could read it with 0440 is assigned on OpenShift alone.
        secret.set("defaultMode", ChartFiles.documents("mode: 0444").get(0).path("mode"));
      }
    }
    assertThat(deployment()).isEqualTo(deployment);
    assertThat(csv.at("/spec/install/spec/deployments/0/name").asText()).isEqualTo(NAME);

    JsonNode clusterWide = csv.at("/spec/install/spec/clusterPermissions/0");
    assertThat(clusterWide.path("rules")).isEqualTo(rendered("ClusterRole", NAME).path("rules"));
    List<JsonNode> ofRoles = new ArrayList<>();
    for (JsonNode role : ChartFiles.ofKind(rendered, "Role")) {
      role.path("rules").forEach(ofRoles::add);
    }
    JsonNode ofNamespace = csv.at("/spec/install/spec/permissions/0");
    assertThat(ofNamespace.path("rules")).containsExactlyElementsOf(ofRoles).isNotEmpty();
    assertThat(List.of(clusterWide, ofNamespace))
        .extracting(permissions -> permissions.path("serviceAccountName").asText())
        .containsOnly(deployment().at("/template/spec/serviceAccountName").asText());
  }

  /** The cluster roles that the bindings give to the operator; there may not be one more. */
  @Test
  void noRightOfTheOperatorIsLeftOut() {
    Set<String> bound = new TreeSet<>();
    ChartFiles.ofKind(rendered, "ClusterRoleBinding")
        .forEach(binding -> bound.add(binding.at("/roleRef/name").asText()));
    assertThat(bound).containsExactly(NAME);
  }

  @Test
  void theWebhooksAreThoseOfTheChart() {
    Map<String, JsonNode> webhooks = new TreeMap<>();
    for (JsonNode webhook : csv.at("/spec/webhookdefinitions")) {
      webhooks.put(webhook.path("generateName").asText(), webhook);
    }
    Set<String> charts = new TreeSet<>();
    for (String stage : List.of("Mutating", "Validating")) {
      for (JsonNode webhook : rendered(stage + "WebhookConfiguration", NAME).path("webhooks")) {
        String name = webhook.path("name").asText();
        charts.add(name);
        JsonNode olms = webhooks.getOrDefault(name, JSON.createObjectNode());
        assertThat(olms.path("type").asText()).isEqualTo(stage + "AdmissionWebhook");
        assertThat(olms.path("webhookPath")).isEqualTo(webhook.at("/clientConfig/service/path"));
        for (String same :
            List.of(
                "rules",
                "admissionReviewVersions",
                "failurePolicy",
                "matchPolicy",
                "sideEffects",
                "timeoutSeconds")) {
          assertThat(olms.path(same)).as("%s: %s", name, same).isEqualTo(webhook.path(same));
        }
      }
    }
    assertThat(webhooks.keySet()).isEqualTo(charts);
    assertThat(webhooks.values())
        .allSatisfy(
            webhook -> {
              assertThat(webhook.path("deploymentName").asText()).isEqualTo(NAME);
              assertThat(webhook.path("targetPort"))
                  .isEqualTo(deployment().at("/template/spec/containers/0/ports/0/containerPort"));
            });
  }

  @Test
  void itOwnsTheKindAndShowsTheExampleOfTheChart() throws Exception {
    JsonNode chart = ChartFiles.yaml(ChartFiles.CHART.resolve("Chart.yaml"));
    JsonNode ours = chart.path("annotations");
    List<String> owned = new ArrayList<>();
    for (JsonNode crd : csv.at("/spec/customresourcedefinitions/owned")) {
      owned.add(
          crd.path("name").asText()
              + " "
              + crd.path("version").asText()
              + " "
              + crd.path("kind").asText());
    }
    List<String> expected = new ArrayList<>();
    for (JsonNode crd : withoutKubeflows(ours, "artifacthub.io/crds")) {
      expected.add(
          crd.path("name").asText()
              + " "
              + crd.path("version").asText()
              + " "
              + crd.path("kind").asText());
    }
    assertThat(owned).isEqualTo(expected);
    assertThat(JSON.readTree(csv.at("/metadata/annotations/alm-examples").asText()))
        .containsExactlyElementsOf(withoutKubeflows(ours, "artifacthub.io/crdsExamples"));
    assertThat(csv.at("/spec/keywords")).isEqualTo(chart.path("keywords"));
    assertThat(csv.at("/metadata/annotations/capabilities").asText())
        .isEqualTo(ours.path("artifacthub.io/operatorCapabilities").asText());
    assertThat(chart.path("kubeVersion").asText())
        .contains(csv.at("/spec/minKubeVersion").asText());
  }

  /** The list of an annotation of the chart, as far as it is about the kind of the bundle. */
  private static List<JsonNode> withoutKubeflows(JsonNode annotations, String name) {
    List<JsonNode> list = new ArrayList<>(ChartFiles.documents(annotations.path(name).asText()));
    assertThat(list.removeIf(entry -> entry.path("kind").asText().equals("PyTorchJob")))
        .as("%s: PyTorchJob", name)
        .isTrue();
    return list;
  }

  /** OLM would replace the CRD of Kubeflow's Training Operator and call webhooks for its jobs. */
  @Test
  void itLeavesPyTorchJobsAlone() {
    assertThat(ChartFiles.list(bundle.resolve("manifests")))
        .allSatisfy(
            file -> assertThat(file).content().doesNotContain("kubeflow.org", "pytorchjobs"));
    assertThat(csv.at("/spec/description").asText())
        .contains("serves `PyTorchTrainingJob` only", "no match conditions");
  }

  @Test
  void aCatalogIsToldOfItsArchitecturesIconAndMaintainers() throws Exception {
    for (String architecture : List.of("amd64", "arm64")) {
      assertThat(csv.at("/metadata/labels/operatorframework.io~1arch." + architecture).asText())
          .isEqualTo("supported");
    }
    assertThat(csv.at("/spec/icon/0/base64data").binaryValue())
        .isEqualTo(Files.readAllBytes(Path.of("docs/images/icon.svg")));
    assertThat(csv.at("/spec/icon/0/mediatype").asText()).isEqualTo("image/svg+xml");
    assertThat(csv.at("/spec/maintainers/0/name").asText()).isEqualTo("Some-Owner");
    assertThat(csv.at("/spec/maintainers/0/email").asText())
        .isEqualTo("Some-Owner@users.noreply.github.com");
    assertThat(csv.at("/metadata/annotations/createdAt").asText())
        .matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ");
  }

  /** Registries without access to the network mirror them. */
  @Test
  void itNamesTheImageOfTensorBoardToo() {
    assertThat(csv.at("/spec/relatedImages/1/image").asText())
        .isEqualTo("docker.io/t9kpublic/tensorboard:2.17.0");
    assertThat(ChartFiles.text(ChartFiles.CHART.resolve("values.yaml")))
        .contains("empty: `docker.io/t9kpublic/tensorboard:2.17.0`");
  }

  @Test
  void itIsInstalledForAllNamespacesOnly() {
    Map<String, Boolean> modes = new TreeMap<>();
    csv.at("/spec/installModes")
        .forEach(mode -> modes.put(mode.path("type").asText(), mode.path("supported").asBoolean()));
    assertThat(modes)
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(
                "OwnNamespace", false,
                "SingleNamespace", false,
                "MultiNamespace", false,
                "AllNamespaces", true));
  }
}
