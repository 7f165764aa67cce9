package dev.tensorstack.training.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/** What an administrator sees after {@code helm install}, and a user at the first job. */
@Tag("core")
@Order(1)
@ExtendWith(ReleaseExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class InstallE2E {

  private final Release release;
  private final Scene scene;

  InstallE2E(Release release) {
    this.release = release;
    scene = new Scene(release.client(), "e2e-install");
  }

  @AfterAll
  void end() {
    scene.close();
  }

  @Test
  void twoOperatorsRunWithoutARestartWherePodSecurityIsRestricted() {
    assertThat(release.pods())
        .hasSize(2)
        .allSatisfy(
            pod ->
                assertThat(pod.getStatus().getContainerStatuses())
                    .extracting(ContainerStatus::getRestartCount)
                    .containsExactly(0));
    assertThat(release.leader()).isPresent();
  }

  @Test
  void theyDoNotShareANodeWhenThereAreSeveral() {
    assertThat(release.pods().stream().map(pod -> pod.getSpec().getNodeName()).distinct())
        .hasSize(Math.min(2, release.nodes()));
  }

  @Test
  void theChartsTestPasses() {
    String output = Program.helm("test", Release.NAME, "--namespace", Release.NAMESPACE).orThrow();

    assertThat(output).contains("Phase:          Succeeded");
  }

  @Test
  void theLogsHaveNoErrors() {
    for (Pod pod : release.pods()) {
      String log =
          Program.kubectl("logs", "-n", Release.NAMESPACE, pod.getMetadata().getName()).orThrow();
      assertThat(log).contains("Listening on: https");
      assertThat(log.lines().filter(line -> line.matches("[0-9-]+ [0-9:,]+ (ERROR|FATAL) .*")))
          .isEmpty();
    }
  }

  @Test
  void aWrongManifestIsRefusedWithFieldAndRemedy() {
    ProgramResult refused =
        Program.kubectl(
            "apply", "-n", scene.namespace(), "-f", "examples/invalid/elastic-needs-torchrun.yaml");

    assertThat(refused.exitCode()).isNotZero();
    assertThat(refused.stderr())
        .contains("spec.torchrunConfig.enabled")
        .contains("set torchrunConfig.enabled to true");
  }

  @Test
  void allMistakesOfAManifestAreToldAtOnce() {
    ProgramResult refused =
        Program.kubectl(
            "apply", "-n", scene.namespace(), "-f", "examples/invalid/replica-specs.yaml");

    assertThat(refused.exitCode()).isNotZero();
    assertThat(refused.stderr().lines().filter(line -> line.startsWith("* ")).count())
        .as(refused.stderr())
        .isGreaterThan(1);
  }

  @Test
  void aPodThatTheClusterWouldRefuseIsRefusedAtOnce() {
    ProgramResult refused =
        Program.kubectl(
            "apply", "-n", scene.namespace(), "-f", "examples/invalid/pod-dry-run.yaml");

    assertThat(refused.exitCode()).isNotZero();
    assertThat(refused.stderr()).contains("spec.replicaSpecs[0].template");
  }

  @Test
  void whatIsStoredHasTheDefaults() {
    scene.apply(
        Manifest.job("defaults")
            .replicas("worker", 1, Manifest.PodText.python("print('done')"))
            .yaml());

    assertThat(
            scene
                .kubectl("get", "pj", "defaults", "-o", "jsonpath={.spec.runPolicy.backoffLimit}")
                .orThrow())
        .isEqualTo("3");
    scene.awaitPhase("defaults", "Succeeded");
  }
}
