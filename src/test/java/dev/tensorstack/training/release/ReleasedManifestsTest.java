package dev.tensorstack.training.release;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tensorstack.training.chart.ChartFiles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** install.yaml and the base for Kustomize install the operator as they come. */
class ReleasedManifestsTest {

  private static final String NAMESPACE = "pytorchtrainingjob-system";

  private final Path folder;

  private Path rendering = Path.of("");
  private String install = "";
  private List<JsonNode> objects = List.of();

  ReleasedManifestsTest(@TempDir Path folder) {
    this.folder = folder;
  }

  @BeforeEach
  void make() throws Exception {
    rendering = Rendering.write(folder, "defaults");
    install = Script.run(Map.of(), "release-files", "install", rendering.toString()).orThrow();
    objects = ChartFiles.documents(install);
  }

  @Test
  void nothingIsSetForTheRecordedRendering() {
    assertThat(ChartFiles.text(ChartFiles.values("defaults")).lines())
        .filteredOn(line -> !line.startsWith("#"))
        .containsExactly("{}");
  }

  @Test
  void everyImageIsTheReleasesWithItsRegistryAndVersion() {
    List<String> images = new ArrayList<>();
    objects.forEach(
        object -> object.findValues("containers").forEach(list -> images(list, images)));
    objects.forEach(
        object -> object.findValues("initContainers").forEach(list -> images(list, images)));

    assertThat(images)
        .isNotEmpty()
        .allMatch(image -> image.equals(Rendering.IMAGE + ":" + ChartFiles.version()));
  }

  private static void images(JsonNode containers, List<String> images) {
    if (containers.isArray()) {
      containers.forEach(container -> images.add(container.path("image").asText()));
    }
  }

  /** Such as that of the init container of a PyTorchJob. */
  @Test
  void anImageThatTheOperatorPutsIntoPodsHasARegistryAndATagThatStays() {
    List<String> images = new ArrayList<>();
    for (JsonNode variable : deployment().at("/spec/template/spec/containers/0/env")) {
      if (variable.path("name").asText().endsWith("_IMAGE")) {
        images.add(variable.path("value").asText());
      }
    }
    assertThat(images)
        .isNotEmpty()
        .allSatisfy(
            image ->
                assertThat(image)
                    .matches("[a-z0-9-]+(\\.[a-z0-9-]+)+/[a-z0-9/._-]+:[0-9][0-9A-Za-z._-]*"));
  }

  private JsonNode deployment() {
    return ChartFiles.ofKind(objects, "Deployment").get(0);
  }

  @Test
  void theCrdsAreInItAsTheyAreInTheChart() {
    List<String> names = new ArrayList<>();
    for (JsonNode crd : ChartFiles.ofKind(objects, "CustomResourceDefinition")) {
      String name = crd.at("/metadata/name").asText();
      names.add(name);
      assertThat(install).contains(Rendering.spec(manifest(name)));
    }
    assertThat(names)
        .containsExactlyInAnyOrder(
            "pytorchtrainingjobs.batch.tensorstack.dev", "pytorchjobs.kubeflow.org");
    assertThat(ChartFiles.ofKind(objects, "ValidatingAdmissionPolicy")).hasSize(1);
  }

  private static Path manifest(String crd) {
    return ChartFiles.MANIFESTS.resolve(crd + "-v1.yml");
  }

  @Test
  void theNamespaceComesFirstAndAllElseOfANamespaceIsInIt() {
    assertThat(objects.get(0).path("kind").asText()).isEqualTo("Namespace");
    assertThat(objects.get(0).at("/metadata/name").asText()).isEqualTo(NAMESPACE);
    assertThat(objects)
        .extracting(object -> object.at("/metadata/namespace").asText(NAMESPACE))
        .containsOnly(NAMESPACE);
  }

  @Test
  void itIsTheRenderingButForTheTestAndTheLabelsOfHelm() {
    List<String> rendered =
        ChartFiles.documents(ChartFiles.text(rendering)).stream()
            .filter(object -> !object.path("kind").asText().equals("Pod"))
            .map(ReleasedManifestsTest::name)
            .toList();
    assertThat(objects.subList(1, objects.size()))
        .extracting(ReleasedManifestsTest::name)
        .containsExactlyElementsOf(rendered);
    assertThat(install)
        .doesNotContain("managed-by: Helm", "helm.sh/chart", "helm.sh/hook", "OWNER", "# Source:");
  }

  private static String name(JsonNode object) {
    return object.path("kind").asText() + " " + object.at("/metadata/name").asText();
  }

  @Test
  void theBaseForKustomizeHasTheSameObjects() throws Exception {
    Path base = folder.resolve("kustomize");
    Script.run(Map.of(), "release-files", "kustomize", rendering.toString(), base.toString())
        .orThrow();

    JsonNode kustomization = ChartFiles.yaml(base.resolve("kustomization.yaml"));
    assertThat(kustomization.path("apiVersion").asText())
        .isEqualTo("kustomize.config.k8s.io/v1beta1");
    assertThat(kustomization.path("kind").asText()).isEqualTo("Kustomization");
    List<JsonNode> resources = new ArrayList<>();
    List<String> files = new ArrayList<>(List.of("kustomization.yaml"));
    for (JsonNode resource : kustomization.path("resources")) {
      files.add(resource.asText());
      resources.add(ChartFiles.yaml(base.resolve(resource.asText())));
    }
    assertThat(resources).isEqualTo(objects);
    try (Stream<Path> all = Files.list(base)) {
      assertThat(all.map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrderElementsOf(files);
    }
  }

  @Test
  void theChartOfAReleaseNamesItsOwnRepository() throws Exception {
    Script.run(Map.of(), "release-files", "chart", Rendering.REPOSITORY, folder.toString())
        .orThrow();

    Path chart = folder.resolve("pytorchtrainingjob-operator");
    JsonNode values = ChartFiles.yaml(chart.resolve("values.yaml"));
    assertThat(values.at("/image/repository").asText()).isEqualTo(Rendering.IMAGE);
    assertThat(values.at("/image/tag").asText()).isEmpty();
    assertThat(values.at("/image/digest").asText()).isEmpty();
    assertThat(values.at("/metrics/prometheusRule/runbookUrl").asText())
        .startsWith(
            "https://github.com/" + Rendering.REPOSITORY + "/blob/v" + ChartFiles.version() + "/");
    try (Stream<Path> files = Files.walk(chart)) {
      assertThat(files.filter(Files::isRegularFile))
          .hasSizeGreaterThan(20)
          .allSatisfy(
              file -> assertThat(file).content().doesNotContain("OWNER", "REPOSITORY", "/main/"));
    }
  }

  @Test
  void theChartOfAReleaseLeadsToTheFilesOfItsTag() throws Exception {
    Script.run(Map.of(), "release-files", "chart", Rendering.REPOSITORY, folder.toString())
        .orThrow();

    JsonNode chart = ChartFiles.yaml(folder.resolve("pytorchtrainingjob-operator/Chart.yaml"));
    String repository = "https://github.com/Some-Owner/Operator";
    String tag = "v" + ChartFiles.version();
    assertThat(chart.path("home").asText()).isEqualTo(repository);
    assertThat(chart.at("/sources/0").asText()).isEqualTo(repository);
    assertThat(chart.path("icon").asText())
        .isEqualTo(
            "https://raw.githubusercontent.com/Some-Owner/Operator/"
                + tag
                + "/docs/images/icon.svg");
    assertThat(chart.at("/maintainers/0/name").asText()).isEqualTo("Some-Owner");
    assertThat(chart.at("/maintainers/0/url").asText()).isEqualTo("https://github.com/Some-Owner");
    assertThat(chart.at("/annotations/artifacthub.io~1links").asText())
        .contains(repository + "/blob/" + tag + "/docs/README.md")
        .contains(repository + "/issues");
  }

  @Test
  void whatIsNoRepositoryIsRefused() throws Exception {
    for (String repository : List.of("operator", "a/b/c", "a/b|c")) {
      assertThat(
              Script.run(Map.of(), "release-files", "chart", repository, folder.toString())
                  .exitCode())
          .as(repository)
          .isNotZero();
    }
  }
}
