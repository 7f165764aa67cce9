package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.controlplane.KubectlResult;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What an administrator gives new jobs (docs/operations/defaults.md), by a real API server. */
@OperatorTest(value = "cluster-defaults", operator = false, nodes = 0)
class ClusterDefaultsIT {

  private static final Map<String, String> SETTINGS =
      Map.of(
          "OPERATOR_DEFAULTS_CLEAN_UP_POLICY", "All",
          "OPERATOR_DEFAULTS_TTL_SECONDS_AFTER_FINISHED", "86400",
          "OPERATOR_DEFAULTS_QUEUE", "research",
          "OPERATOR_DEFAULTS_TENSORBOARD_IMAGE", "registry.example/tensorboard:1",
          "OPERATOR_DEFAULTS_SCHEDULER", "{\"volcano\": {\"queue\": \"research\"}}");

  private static final String JOB =
      """
      apiVersion: batch.tensorstack.dev/v1beta1
      kind: PyTorchTrainingJob
      metadata: {name: NAME}
      spec:
        tensorboardSpec: {logDir: {pvc: [{name: logs}]}}
        replicaSpecs:
          - type: worker
            template:
              spec: {containers: [{name: pytorch, image: "registry.example/train:1", args: [train.py]}]}
      """;

  private final PyTorchJobScene scene;

  ClusterDefaultsIT(ControlPlane controlPlane, Jobs jobs) {
    this.scene = new PyTorchJobScene(controlPlane, jobs.namespace());
  }

  private String get(String kind, String name, String path) {
    return scene
        .controlPlane
        .kubectl("get", kind, name, "-n", scene.namespace, "-o", "jsonpath=" + path)
        .orThrow();
  }

  private static final String GIVEN =
      "{.metadata.labels.kueue\\.x-k8s\\.io/queue-name} {.spec.runPolicy.cleanUpPolicy}"
          + " {.spec.runPolicy.ttlSecondsAfterFinished} {.spec.scheduler.volcano.queue}"
          + " {.spec.tensorboardSpec.image}";

  @Test
  void aNewJobGetsThemItsUserComesFirstAndNoOtherSettingChangesIt() {
    try (OperatorProcess operator = scene.operator(SETTINGS)) {
      scene.apply(JOB.replace("NAME", "plain"));
      assertThat(get("pytorchtrainingjob", "plain", GIVEN))
          .isEqualTo("research All 86400 research registry.example/tensorboard:1");

      scene.apply(
          JOB.replace("{name: NAME}", "{name: own, labels: {kueue.x-k8s.io/queue-name: \"\"}}")
                  .replace("{logDir", "{image: \"mine:1\", logDir")
              + "  runPolicy: {cleanUpPolicy: None, ttlSecondsAfterFinished: 60}\n");
      assertThat(get("pytorchtrainingjob", "own", GIVEN)).isEqualTo(" None 60 research mine:1");

      scene.apply(PyTorchJobScene.manifest("kubeflow", "OnFailure", 1, "{}"));
      assertThat(
              scene.get(
                  "kubeflow", "{.metadata.labels.kueue\\.x-k8s\\.io/queue-name} {.spec.runPolicy}"))
          .isEqualTo(
              "research {\"cleanPodPolicy\":\"All\",\"suspend\":false,"
                  + "\"ttlSecondsAfterFinished\":86400}");

      // The manifest says nothing of its spec, and replaces the job all the same.
      replace(
          JOB.replace(
              "{name: NAME}", "{name: plain, labels: {kueue.x-k8s.io/queue-name: research}}"));
      assertThat(get("pytorchtrainingjob", "plain", GIVEN))
          .isEqualTo("research All 86400 research registry.example/tensorboard:1");
    }
    try (OperatorProcess operator =
        scene.operator(Map.of("OPERATOR_DEFAULTS_TTL_SECONDS_AFTER_FINISHED", "1"))) {
      scene
          .controlPlane
          .kubectl(
              "patch",
              "pytorchtrainingjob",
              "own",
              "-n",
              scene.namespace,
              "--type=merge",
              "-p",
              "{\"spec\": {\"runPolicy\": {\"backoffLimit\": 9}}}")
          .orThrow();
      assertThat(get("pytorchtrainingjob", "own", GIVEN)).isEqualTo(" None 60 research mine:1");
      assertThat(get("pytorchtrainingjob", "plain", GIVEN)).startsWith("research All 86400 ");
    }
  }

  /**
   * kubectl reads the job and then writes it; a status that is written in between is a conflict.
   */
  private void replace(String manifest) {
    await("a replacement that meets no write of the operator")
        .atMost(PyTorchJobScene.PATIENCE)
        .until(
            () -> {
              KubectlResult tried =
                  scene.controlPlane.kubectlWithInput(
                      manifest, "replace", "-n", scene.namespace, "-f", "-");
              return tried.stderr().contains("(Conflict)") ? "" : tried.orThrow();
            },
            written -> !written.isEmpty());
  }
}
