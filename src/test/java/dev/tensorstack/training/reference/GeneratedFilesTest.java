package dev.tensorstack.training.reference;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.kind.Rule;
import dev.tensorstack.training.kind.Warning;
import dev.tensorstack.training.kind.WarningContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

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
  void theCrdOfPyTorchJobFollowsFromItsTypes() throws IOException {
    isUpToDate(PyTorchJobCrd.FILE, PyTorchJobCrd.generate());
  }

  @Test
  void thePolicyFollowsFromTheRules() throws IOException {
    isUpToDate(AdmissionPolicyManifest.FILE, AdmissionPolicyManifest.generate());
    isUpToDate(
        ChartReference.copyOf(AdmissionPolicyManifest.FILE), AdmissionPolicyManifest.generate());
  }

  @Test
  void theChartHasTheSameCrds() throws IOException {
    isUpToDate(ChartReference.copyOf(CrdManifest.FILE), CrdManifest.generate());
    isUpToDate(ChartReference.copyOf(PyTorchJobCrd.FILE), PyTorchJobCrd.generate());
  }

  @Test
  void theReferenceOfTheChartFollowsFromItsValues() throws IOException {
    isUpToDate(ChartReference.FILE, ChartReference.generate());
  }

  static List<ApiReference> apiReferences() {
    return List.of(ApiReference.TRAINING_JOB, ApiReference.PYTORCH_JOB);
  }

  @ParameterizedTest
  @MethodSource("apiReferences")
  void theApiReferenceFollowsFromTheTypes(ApiReference reference) throws IOException {
    isUpToDate(reference.file(), reference.generate());
  }

  @Test
  void theReferenceOfTheConfigurationFollowsFromItsInterface() throws IOException {
    isUpToDate(ConfigurationReference.FILE, ConfigurationReference.generate());
  }

  static List<AdmissionReference<?>> admissionReferences() {
    return List.of(AdmissionReference.TRAINING_JOB, AdmissionReference.PYTORCH_JOB);
  }

  @ParameterizedTest
  @MethodSource("admissionReferences")
  void theAdmissionReferenceFollowsFromTheRules(AdmissionReference<?> reference)
      throws IOException {
    isUpToDate(reference.file(), reference.generate());
  }

  @Test
  void theReferenceOfMetricsFollowsFromTheirDeclarations() throws IOException {
    isUpToDate(MetricsReference.FILE, MetricsReference.generate());
  }

  @ParameterizedTest
  @MethodSource("admissionReferences")
  void theExampleOfEachRuleIsRefusedByThatRuleAlone(AdmissionReference<?> reference) {
    for (Rule<?> rule : reference.rules()) {
      assertThat(reference.violations(rule.id()))
          .as(rule.id())
          .isNotEmpty()
          .allMatch(violation -> violation.rule().equals(rule.id()));
    }
  }

  @ParameterizedTest
  @MethodSource("admissionReferences")
  <S> void theExampleOfEachWarningIsAcceptedWithThatWarningAlone(AdmissionReference<S> reference) {
    for (Warning<S> warning : reference.warnings()) {
      WarningContext<S> example = reference.given(warning.id());
      assertThat(Rule.checkAll(reference.rules(), example.subject())).as(warning.id()).isEmpty();
      assertThat(reference.warned(warning.id()))
          .as(warning.id())
          .isNotEmpty()
          .isEqualTo(warning.check(example));
    }
  }

  @ParameterizedTest
  @MethodSource("apiReferences")
  void everyFieldOfTheApiIsDescribed(ApiReference reference) {
    assertThat(reference.generate().lines().filter(line -> line.startsWith("| `")))
        .noneMatch(line -> line.endsWith("|  |"));
  }

  @Test
  void theCrdIsSmallEnoughForPlainKubectlApply() throws IOException {
    assertThat(Files.size(CrdManifest.FILE)).isLessThan(200_000);
    assertThat(Files.size(AdmissionPolicyManifest.FILE)).isLessThan(200_000);
    assertThat(Files.size(PyTorchJobCrd.FILE)).isLessThan(60_000);
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
