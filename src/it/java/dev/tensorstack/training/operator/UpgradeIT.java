package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.controlplane.ControlPlaneExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * An operator goes on with what an earlier version has stored: no pod is touched, nothing is
 * counted anew, and each job does next what it would have done.
 *
 * <p>Each directory in {@code src/it/resources/upgrade} holds what one version has stored, and is
 * put on an API server before the operator of this build starts. With {@code -Dupgrade.from=DIR},
 * the {@code quarkus-app} of an earlier version, that version itself runs before. With {@code
 * -Dupgrade.record=DIR} it writes such a directory; so does this build without {@code
 * -Dupgrade.from}.
 */
@ExtendWith(ControlPlaneExtension.class)
class UpgradeIT {

  private static final Path RECORDINGS = Path.of("src/it/resources/upgrade");
  private static final String OPTIONS = "-Xmx512m -XX:+UseSerialGC -XX:TieredStopAtLevel=1";

  private final ControlPlane controlPlane;

  UpgradeIT(ControlPlane controlPlane) {
    this.controlPlane = controlPlane;
  }

  static List<Path> recordings() throws IOException {
    try (Stream<Path> versions = Files.list(RECORDINGS)) {
      return versions.filter(Files::isDirectory).sorted().toList();
    }
  }

  @ParameterizedTest
  @MethodSource("recordings")
  void whatAnEarlierVersionHasStoredIsCarriedOn(Path recording) {
    try (UpgradeJobs jobs = new UpgradeJobs(controlPlane)) {
      RecordedJobs.restore(jobs, recording);
      carryOn(jobs);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"stopped", "killed"})
  @EnabledIfSystemProperty(named = "upgrade.from", matches = ".+")
  void theJobsOfAnEarlierVersionAreCarriedOnAfterItIs(String end) {
    try (UpgradeJobs jobs = new UpgradeJobs(controlPlane)) {
      runBefore(jobs, end.equals("killed"));
      carryOn(jobs);
    }
  }

  @Test
  @EnabledIfSystemProperty(named = "upgrade.record", matches = ".+")
  void record() {
    Path directory = Path.of(System.getProperty("upgrade.record"));
    try (UpgradeJobs jobs = new UpgradeJobs(controlPlane)) {
      runBefore(jobs, false);
      RecordedJobs.write(jobs, directory);
      assertThat(RecordedJobs.names(directory)).containsExactlyInAnyOrderElementsOf(jobs.names());
    }
  }

  private void runBefore(UpgradeJobs jobs, boolean killed) {
    Path from = Path.of(System.getProperty("upgrade.from", "target/quarkus-app"));
    List<String> program =
        Stream.concat(
                Stream.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()),
                Stream.concat(
                    Stream.of(OPTIONS.split(" ")),
                    Stream.of("-jar", from.resolve("quarkus-run.jar").toString())))
            .toList();
    try (OperatorProcess before =
        OperatorProcess.launch(controlPlane.kubeconfig(), jobs.settingsBefore(), program)) {
      before.awaitReady();
      jobs.bringAbout();
      if (killed) {
        before.kill();
      }
    }
  }

  private void carryOn(UpgradeJobs jobs) {
    jobs.rememberDelay();
    UpgradeJobs.Picture before = jobs.picture();
    AuditLog log = AuditLog.fromNowOn(controlPlane, "admin");
    try (OperatorProcess operator =
        OperatorProcess.start(controlPlane.kubeconfig(), jobs.settings())) {
      jobs.awaitLookedAt();
      jobs.assertUntouched(before, log);
      jobs.goOn();
      assertThat(operator.isAlive()).isTrue();
    }
  }
}
