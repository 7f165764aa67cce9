package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.fakekubelet.FakeKubelet;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Jobs that Kubeflow's operator has worked on before this one (docs/migration). */
@OperatorTest(value = "takeover", operator = false)
class TakeOverIT {

  private static final String CREATED =
      """
      {"type": "Created", "status": "True", "reason": "PyTorchJobCreated", "message": "created",
       "lastUpdateTime": "2026-01-01T00:00:00Z", "lastTransitionTime": "2026-01-01T00:00:00Z"}""";

  private final PyTorchJobScene scene;
  private final FakeKubelet kubelet;

  TakeOverIT(ControlPlane controlPlane, Jobs jobs, FakeKubelet kubelet) {
    this.scene = new PyTorchJobScene(controlPlane, jobs.namespace());
    this.kubelet = kubelet;
  }

  /** Applies a job and writes the status that Kubeflow's operator leaves. */
  private void job(String name, String policy, int workers, String runPolicy, String status) {
    scene.apply(PyTorchJobScene.manifest(name, policy, workers, runPolicy));
    scene
        .controlPlane
        .kubectl(
            "patch",
            "pytorchjob",
            name,
            "-n",
            scene.namespace,
            "--subresource=status",
            "--type=merge",
            "-p",
            "{\"status\": " + status.replaceAll("\\s+", " ") + "}")
        .orThrow();
  }

  private static String condition(String type, String status, String reason) {
    return """
    {"type": "%s", "status": "%s", "reason": "%s", "message": "%s says so",
     "lastUpdateTime": "2026-01-01T00:01:00Z", "lastTransitionTime": "2026-01-01T00:01:00Z"}"""
        .formatted(type, status, reason, type);
  }

  /** A pod with its Service, with the names and labels that Kubeflow's operator gives them. */
  private void replica(String job, String type, int index) {
    String name = job + "-" + type + "-" + index;
    Map<String, String> labels =
        new java.util.HashMap<>(
            Map.of(
                "training.kubeflow.org/operator-name",
                "pytorchjob-controller",
                "training.kubeflow.org/job-name",
                job,
                "training.kubeflow.org/replica-type",
                type,
                "training.kubeflow.org/replica-index",
                Integer.toString(index)));
    Map<String, String> selector = Map.copyOf(labels);
    if (type.equals("master")) {
      labels.put("training.kubeflow.org/job-role", "master");
    }
    Pod pod =
        new PodBuilder()
            .withNewMetadata()
            .withName(name)
            .withNamespace(scene.namespace)
            .withLabels(labels)
            .addNewOwnerReference()
            .withApiVersion("kubeflow.org/v1")
            .withKind("PyTorchJob")
            .withName(job)
            .withUid(scene.get(job, "{.metadata.uid}"))
            .withController(true)
            .withBlockOwnerDeletion(true)
            .endOwnerReference()
            .endMetadata()
            .withNewSpec()
            .withRestartPolicy("OnFailure")
            .addNewContainer()
            .withName("pytorch")
            .withImage("registry.example/train:1")
            .endContainer()
            .endSpec()
            .build();
    scene.client.resource(pod).create();
    scene
        .client
        .resource(
            new ServiceBuilder()
                .withMetadata(
                    new PodBuilder(pod)
                        .editMetadata()
                        .withLabels(selector)
                        .endMetadata()
                        .build()
                        .getMetadata())
                .withNewSpec()
                .withClusterIP("None")
                .withSelector(selector)
                .addNewPort()
                .withName("pytorchjob-port")
                .withPort(23456)
                .endPort()
                .endSpec()
                .build())
        .create();
    scene.awaitThat(name + " runs", () -> "Running".equals(scene.pod(name).getStatus().getPhase()));
  }

  @Test
  void runningPodsGoOnEndedJobsStayAndSuspendedOnesResume() {
    job(
        "runs",
        "OnFailure",
        2,
        "{backoffLimit: 1}",
        "{\"startTime\": \"2026-01-01T00:00:00Z\", \"replicaStatuses\": {\"Master\": {\"active\": 1},"
            + " \"Worker\": {\"active\": 2}}, \"conditions\": ["
            + CREATED
            + ", "
            + condition("Running", "True", "PyTorchJobRunning")
            + "]}");
    replica("runs", "master", 0);
    replica("runs", "worker", 0);
    replica("runs", "worker", 1);
    job(
        "done",
        "OnFailure",
        1,
        "{}",
        "{\"startTime\": \"2026-01-01T00:00:00Z\", \"completionTime\": \"2026-01-01T00:01:00Z\","
            + " \"replicaStatuses\": {\"Master\": {\"succeeded\": 1}}, \"conditions\": ["
            + CREATED
            + ", "
            + condition("Running", "False", "PyTorchJobSucceeded")
            + ", "
            + condition("Succeeded", "True", "PyTorchJobSucceeded")
            + "]}");
    job(
        "failed",
        "OnFailure",
        1,
        "{}",
        "{\"startTime\": \"2026-01-01T00:00:00Z\", \"conditions\": ["
            + CREATED
            + ", "
            + condition("Failed", "True", "PyTorchJobFailed")
            + "]}");
    job(
        "old",
        "OnFailure",
        1,
        "{ttlSecondsAfterFinished: 5}",
        "{\"startTime\": \"2026-01-01T00:00:00Z\", \"conditions\": ["
            + CREATED
            + ", "
            + condition("Failed", "True", "PyTorchJobFailed")
            + "]}");
    job(
        "waits",
        "OnFailure",
        1,
        "{suspend: true}",
        "{\"conditions\": ["
            + CREATED
            + ", "
            + condition("Suspended", "True", "PyTorchJobSuspended")
            + "]}");
    String done = scene.get("done", "{.metadata.resourceVersion}");
    String failed = scene.get("failed", "{.metadata.resourceVersion}");
    String master = scene.uid("runs-master-0");
    String worker = scene.uid("runs-worker-1");

    try (OperatorProcess operator = scene.operator(Map.of())) {
      scene.awaitThat(
          "what is remembered of it",
          () -> !scene.get("runs", "{.status.ledger.version}").isEmpty());
      scene.patch("waits", "{\"spec\": {\"runPolicy\": {\"suspend\": false}}}").orThrow();
      scene.awaitState("waits", "Running");
      scene.awaitThat(
          "the time to live of a failed job without completionTime",
          () ->
              scene
                      .controlPlane
                      .kubectl("get", "pytorchjob", "old", "-n", scene.namespace)
                      .exitCode()
                  != 0);

      assertThat(scene.uid("runs-master-0")).isEqualTo(master);
      assertThat(scene.uid("runs-worker-1")).isEqualTo(worker);
      assertThat(scene.pods("runs")).hasSize(3);
      assertThat(scene.get("runs", "{.status.conditions[*].type}")).isEqualTo("Created Running");
      assertThat(scene.get("runs", "{.status.conditions[1].message}"))
          .as("as it stood there")
          .isEqualTo("Running says so");
      assertThat(scene.get("runs", "{.status.startTime}")).isEqualTo("2026-01-01T00:00:00Z");
      assertThat(scene.reasons("runs")).doesNotContain("PyTorchJobCreated");

      assertThat(scene.get("done", "{.metadata.resourceVersion}")).isEqualTo(done);
      assertThat(scene.get("failed", "{.metadata.resourceVersion}")).isEqualTo(failed);
      assertThat(scene.pods("done")).isEmpty();
      assertThat(scene.pods("failed")).isEmpty();

      kubelet.finish(scene.namespace, "runs-worker-1", 1);
      scene.awaitThat(
          "a restart is counted", () -> scene.get("runs", "{.status.ledger.backoff}").equals("1"));
      kubelet.finish(scene.namespace, "runs-master-0", 0);
      scene.awaitState("runs", "Succeeded");
      assertThat(operator.isAlive()).isTrue();
    }
  }
}
