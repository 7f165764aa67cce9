package dev.tensorstack.training.reference;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.policy.AcceleratorResources;
import dev.tensorstack.training.kind.Rule;
import dev.tensorstack.training.kind.Warning;
import dev.tensorstack.training.kind.WarningContext;
import dev.tensorstack.training.kind.trainingjob.admission.Rules;
import dev.tensorstack.training.kind.trainingjob.admission.Warnings;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/**
 * Files of the project that are made from code: {@code ./mvnw test -Dtest=GeneratedFilesTest
 * -Dupdate} writes them anew.
 */
class GeneratedFilesTest {

  @Test
  void theCrdFollowsFromTheTypes() throws IOException {
    isUpToDate(CrdManifest.FILE, CrdManifest.generate());
  }

  @Test
  void theChartHasTheSameCrd() throws IOException {
    isUpToDate(ChartReference.CRD, CrdManifest.generate());
  }

  @Test
  void theReferenceOfTheChartFollowsFromItsValues() throws IOException {
    isUpToDate(ChartReference.FILE, ChartReference.generate());
  }

  @Test
  void theApiReferenceFollowsFromTheTypes() throws IOException {
    isUpToDate(ApiReference.FILE, ApiReference.generate());
  }

  @Test
  void theReferenceOfTheConfigurationFollowsFromItsInterface() throws IOException {
    isUpToDate(ConfigurationReference.FILE, ConfigurationReference.generate());
  }

  @Test
  void theAdmissionReferenceFollowsFromTheRules() throws IOException {
    isUpToDate(AdmissionReference.FILE, AdmissionReference.generate());
  }

  @Test
  void theReferenceOfMetricsFollowsFromTheirDeclarations() throws IOException {
    isUpToDate(MetricsReference.FILE, MetricsReference.generate());
  }

  @Test
  void theExampleOfEachRuleIsRefusedByThatRuleAlone() {
    for (Rule<PyTorchTrainingJobSpec> rule : Rules.ALL) {
      assertThat(AdmissionReference.violations(rule.id()))
          .as(rule.id())
          .isNotEmpty()
          .allMatch(violation -> violation.rule().equals(rule.id()));
    }
  }

  @Test
  void theExampleOfEachWarningIsAcceptedWithThatWarningAlone() {
    for (Warning<PyTorchTrainingJobSpec> warning :
        new Warnings(AcceleratorResources.DEFAULT).all()) {
      WarningContext<PyTorchTrainingJobSpec> example = AdmissionReference.given(warning.id());
      assertThat(Rules.check(example.subject())).as(warning.id()).isEmpty();
      assertThat(AdmissionReference.warned(warning.id()))
          .as(warning.id())
          .isNotEmpty()
          .isEqualTo(warning.check(example));
    }
  }

  @Test
  void everyFieldOfTheApiIsDescribed() {
    assertThat(ApiReference.generate().lines().filter(line -> line.startsWith("| `")))
        .noneMatch(line -> line.endsWith("|  |"));
  }

  @Test
  void theCrdIsSmallEnoughForPlainKubectlApply() throws IOException {
    assertThat(Files.size(CrdManifest.FILE)).isLessThan(200_000);
  }

  private static void isUpToDate(Path file, String expected) throws IOException {
    if (System.getProperty("update") != null) {
      Files.createDirectories(file.getParent());
      Files.writeString(file, expected);
    }
    assertThat(file).exists();
    assertThat(Files.readString(file))
        .as("%s; run ./mvnw test -Dtest=GeneratedFilesTest -Dupdate", file)
        .isEqualTo(expected);
  }
}
