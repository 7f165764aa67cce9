package dev.tensorstack.training.controlplane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import dev.tensorstack.training.chart.ChartFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KubernetesVersionTest {
  @Test
  void theDefaultIsTheVersionThatTheGoModuleOfTheCheckoutBuilds() throws IOException {
    Path module = ControlPlaneBinaries.modules().resolve(Tool.KUBECTL.module()).resolve("go.mod");

    assertThat(Files.readString(module))
        .contains("require k8s.io/kubernetes " + KubernetesVersion.DEFAULT + "\n");
  }

  @ParameterizedTest
  @CsvSource({
    "v1.30.0, v1.30.0, v0.30.0, false",
    "v1.31.14, v1.31.14, v0.31.14, false",
    "' 1.35.2 ', v1.35.2, v0.35.2, false",
    "v1.36.3, v1.36.3, v0.36.3, true",
  })
  void aVersionThatIsSupportedIsRead(
      String text, String version, String stagingModules, boolean podGroups) {
    KubernetesVersion read = KubernetesVersion.parse(text);

    assertThat(read).hasToString(version);
    assertThat(read.ofStagingModules()).isEqualTo(stagingModules);
    assertThat(read.hasPodGroups()).isEqualTo(podGroups);
  }

  @ParameterizedTest
  @CsvSource({
    "v1.29.9, older than what the operator supports",
    "v1.37.0, newer than what the test kit knows",
    "v2.30.1, is not a version",
    "1.31, is not a version of Kubernetes with minor and patch version",
    "latest, is not a version",
    "v1.31.0-rc.1, is not a version",
  })
  void anotherOneIsRefusedWithWhatToWrite(String text, String why) {
    assertThatThrownBy(() -> KubernetesVersion.parse(text))
        .isInstanceOf(ControlPlaneException.class)
        .hasMessageContainingAll(
            text, why, "KUBERNETES_VERSION (-Dkubernetes.version)", "from 1.30 to 1.36", "v1.36.3");
  }

  @Test
  void aTestThatNeedsAnotherOneIsSkippedAndSaysWhy() {
    KubernetesVersion version = new KubernetesVersion(34, 2);

    assertThat(NeedsKubernetes.Condition.evaluate(34, "claims", version).isDisabled()).isFalse();
    assertThat(NeedsKubernetes.Condition.evaluate(35, "claims", version))
        .satisfies(
            result -> {
              assertThat(result.isDisabled()).isTrue();
              assertThat(result.getReason())
                  .hasValue("needs Kubernetes 1.35 or newer, this is v1.34.2: claims");
            });
  }

  @Test
  void theChartAsksForTheOldestOne() throws IOException {
    assertThat(Files.readString(ChartFiles.CHART.resolve("Chart.yaml")))
        .contains("\nkubeVersion: \">=1." + KubernetesVersion.OLDEST_MINOR + ".0-0\"\n");
  }

  @Test
  void theWorkflowRunsOneVersionOfEachMinorOne() throws IOException {
    JsonNode matrix =
        new ObjectMapper(new YAMLFactory())
            .readTree(Files.readString(Path.of(".github/workflows/kubernetes-versions.yml")))
            .at("/jobs/test/strategy/matrix/kubernetes");

    List<KubernetesVersion> versions =
        StreamSupport.stream(matrix.spliterator(), false)
            .map(version -> KubernetesVersion.parse(version.asText()))
            .toList();

    assertThat(versions)
        .extracting(KubernetesVersion::minor)
        .containsExactlyElementsOf(
            IntStream.rangeClosed(KubernetesVersion.OLDEST_MINOR, KubernetesVersion.NEWEST_MINOR)
                .boxed()
                .toList());
    assertThat(versions).contains(KubernetesVersion.DEFAULT);
  }
}
