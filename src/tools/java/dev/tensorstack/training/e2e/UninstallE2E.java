package dev.tensorstack.training.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tensorstack.training.e2e.Manifest.PodText;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/** What stays when the release is taken away, and what does not. */
@Tag("core")
@Order(7)
@ExtendWith(ReleaseExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class UninstallE2E {

  private final Release release;
  private final Scene scene;

  UninstallE2E(Release release) {
    this.release = release;
    scene = new Scene(release.client(), "e2e-uninstall");
  }

  @AfterAll
  void end() {
    scene.close();
  }

  @Test
  void noWebhookStaysJobsGoOnAndNewOnesAreTakenUpByTheNextInstallation() {
    scene.apply(
        Manifest.job("earlier")
            .replicas("master", 1, PodText.runs())
            .replicas("worker", 1, PodText.runs())
            .yaml());
    scene.awaitPhase("earlier", "Running");
    Map<String, String> before = scene.uids("earlier");

    release.uninstall();

    assertThat(objects("mutatingwebhookconfigurations")).doesNotContain(Release.NAME);
    assertThat(objects("validatingwebhookconfigurations")).doesNotContain(Release.NAME);
    assertThat(objects("clusterroles,clusterrolebindings")).doesNotContain(Release.NAME);
    await("no operator").atMost(Scene.PATIENCE).until(() -> release.pods().isEmpty());
    scene.apply(Manifest.job("later").replicas("master", 1, PodText.runs()).yaml());
    assertThat(scene.uids("earlier")).isEqualTo(before);

    release.install();
    scene.awaitPhase("later", "Running");
    assertThat(scene.uids("earlier")).isEqualTo(before);
    assertThat(scene.status("earlier").columns().restarts()).isZero();
    scene.delete("later");
    scene.delete("earlier");
  }

  private static String objects(String kinds) {
    return Program.kubectl("get", kinds, "-o", "name").orThrow();
  }
}
