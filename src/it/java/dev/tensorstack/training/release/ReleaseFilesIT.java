package dev.tensorstack.training.release;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.chart.ChartFiles;
import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.controlplane.ControlPlaneBinaries;
import dev.tensorstack.training.controlplane.Tool;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** The files of a release, made with Helm as the workflow does, on an API server. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ReleaseFilesIT {

  private static final List<String> ARCHIVES =
      List.of(
          "pytorchtrainingjob-operator-" + ChartFiles.version() + ".tgz",
          "pytorchtrainingjob-operator-kustomize.tar.gz",
          "pytorchtrainingjob-operator-olm-bundle.tar.gz");

  private final ControlPlane controlPlane =
      ControlPlane.builder().controllerManager(false).scheduler(false).start();

  private final Path folder;

  ReleaseFilesIT(@TempDir Path folder) {
    this.folder = folder;
  }

  @BeforeAll
  void make() throws Exception {
    Path helm = ControlPlaneBinaries.provide(EnumSet.of(Tool.HELM)).binary(Tool.HELM);
    Script.run(
            Map.of("HELM", helm.toString()),
            "release-files",
            "all",
            Rendering.REPOSITORY,
            folder.toString())
        .orThrow();
  }

  @AfterAll
  void stop() {
    controlPlane.close();
  }

  @Test
  void allOfThemAreThereUnderTheNamesOfTheRelease() throws Exception {
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files.filter(Files::isRegularFile).map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrder(
              "install.yaml",
              "pytorchtrainingjob-operator-" + ChartFiles.version() + ".tgz",
              "pytorchtrainingjob-operator-kustomize.tar.gz",
              "pytorchtrainingjob-operator-olm-bundle.tar.gz");
    }
  }

  @Test
  void noneOfThemHasAPlaceholderOfTheRepository(@TempDir Path unpacked) throws Exception {
    for (String archive : ARCHIVES) {
      unpack(archive, unpacked);
    }
    Files.copy(folder.resolve("install.yaml"), unpacked.resolve("install.yaml"));
    try (Stream<Path> files = Files.walk(unpacked)) {
      assertThat(files.filter(Files::isRegularFile))
          .hasSizeGreaterThan(40)
          .allSatisfy(file -> assertThat(file).content().doesNotContain("OWNER", "REPOSITORY"));
    }
  }

  private void unpack(String archive, Path to) throws Exception {
    Process tar =
        new ProcessBuilder("tar", "-xzf", folder.resolve(archive).toString(), "-C", to.toString())
            .inheritIO()
            .start();
    assertThat(tar.waitFor()).isZero();
  }

  @Test
  void theyAreMadeOfWhatTheUnitTestsHaveSeen(@TempDir Path recorded) throws Exception {
    String install =
        Script.run(
                Map.of(),
                "release-files",
                "install",
                Rendering.write(recorded, "defaults").toString())
            .orThrow();
    assertThat(ChartFiles.documents(ChartFiles.text(folder.resolve("install.yaml"))))
        .isEqualTo(ChartFiles.documents(install));
  }

  @Test
  void whatInstallYamlAppliesTheBaseForKustomizeLeavesAsItIs() throws Exception {
    controlPlane
        .kubectl("apply", "--server-side", "-f", folder.resolve("install.yaml").toString())
        .orThrow();
    unpack("pytorchtrainingjob-operator-kustomize.tar.gz", folder);

    controlPlane
        .kubectl("diff", "--server-side", "-k", folder.resolve("kustomize").toString())
        .orThrow();
  }
}
