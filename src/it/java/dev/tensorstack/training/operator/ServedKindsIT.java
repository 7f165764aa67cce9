package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.controlplane.ControlPlane;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhook;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** {@code OPERATOR_KINDS}: each kind alone, and both. */
@OperatorTest(value = "kinds", operator = false)
class ServedKindsIT {

  private static final String OURS = "validate.pytorchtrainingjobs.batch.tensorstack.dev";
  private static final String KUBEFLOWS = "validate.pytorchjobs.kubeflow.org";

  private final PyTorchJobScene scene;
  private final Jobs jobs;

  ServedKindsIT(ControlPlane controlPlane, Jobs jobs) {
    this.scene = new PyTorchJobScene(controlPlane, jobs.namespace());
    this.jobs = jobs;
  }

  private List<String> webhooks() {
    return scene
        .client
        .admissionRegistration()
        .v1()
        .validatingWebhookConfigurations()
        .withName("pytorchtrainingjob-operator-url")
        .get()
        .getWebhooks()
        .stream()
        .map(ValidatingWebhook::getName)
        .toList();
  }

  private boolean hasPods(String job) {
    return scene.pods().stream().anyMatch(name -> name.startsWith(job + "-"));
  }

  @Test
  void aKindThatIsLeftOutIsNeitherWatchedNorChecked() {
    try (OperatorProcess operator = scene.operator(Map.of("OPERATOR_KINDS", "PyTorchJob"))) {
      assertThat(webhooks()).containsExactly(KUBEFLOWS);
      jobs.create(Jobs.simple("ours", 1, "Never"));
      scene.apply(PyTorchJobScene.manifest("theirs", "OnFailure", 1, "{}"));
      scene.awaitThat("pods of the served kind", () -> scene.pods("theirs").size() == 2);
      assertThat(hasPods("ours")).isFalse();
      assertThat(operator.get("/q/metrics").body())
          .contains("kind=\"PyTorchJob\"")
          .doesNotContain("kind=\"PyTorchTrainingJob\"");
    }
    scene.client.pods().inNamespace(scene.namespace).withName("theirs-worker-0").delete();
    scene.apply(PyTorchJobScene.manifest("unchecked", "Sometimes", 1, "{}"));
    try (OperatorProcess operator =
        scene.operator(Map.of("OPERATOR_KINDS", "PyTorchTrainingJob"))) {
      assertThat(webhooks()).containsExactly(OURS);
      scene.awaitThat("pods of the served kind", () -> hasPods("ours"));
      assertThat(scene.pods("theirs")).containsExactly("theirs-master-0");
      assertThat(scene.pods("unchecked")).isEmpty();
      assertThat(operator.isAlive()).isTrue();
    }
    scene.controlPlane.kubectl("delete", "pytorchjob", "unchecked", "-n", scene.namespace);
    try (OperatorProcess operator = scene.operator(Map.of())) {
      assertThat(webhooks()).containsExactlyInAnyOrder(OURS, KUBEFLOWS);
      scene.awaitThat("the pod comes again", () -> scene.pods("theirs").size() == 2);
      assertThat(operator.isAlive()).isTrue();
    }
  }
}
