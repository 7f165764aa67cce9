package dev.tensorstack.training.kubectl.submit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tensorstack.training.kubectl.job.JobKind;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ManifestsTest {

  private static Submission submission(
      JobKind kind, int nodes, Submission.@Nullable Bounds elastic, @Nullable Integer maxRestarts) {
    return new Submission(
        kind,
        "team-a",
        "train-x7k2f",
        "train.py",
        "print('hello')\n",
        List.of("--epochs=3", "true"),
        "registry.example/train:1",
        nodes,
        elastic,
        "2",
        4,
        "nvidia.com/gpu",
        "8",
        "64Gi",
        maxRestarts,
        "ExitCode",
        Map.of("/data", "data"),
        Map.of("LR", "0.1"),
        "gpus");
  }

  @Test
  void aTrainingJob() {
    Submission submission = submission(JobKind.TRAINING_JOB, 2, null, 1);
    assertThat(Yaml.documents(List.of(Manifests.configMap(submission), Manifests.job(submission))))
        .isEqualTo(
            """
            apiVersion: v1
            kind: ConfigMap
            metadata:
              name: train-x7k2f-script
              namespace: team-a
              labels:
                app.kubernetes.io/managed-by: kubectl-pj
                tensorstack.dev/owner-name: train-x7k2f
            data:
              train.py: |
                print('hello')
            ---
            apiVersion: batch.tensorstack.dev/v1beta1
            kind: PyTorchTrainingJob
            metadata:
              name: train-x7k2f
              namespace: team-a
              labels:
                kueue.x-k8s.io/queue-name: gpus
            spec:
              torchrunConfig:
                enabled: true
                procPerNode: "2"
                maxRestarts: 1
              replicaSpecs:
              - type: node
                replicas: 2
                restartPolicy: ExitCode
                template:
                  spec:
                    containers:
                    - name: python
                      image: registry.example/train:1
                      args:
                      - /opt/kubectl-pj/train.py
                      - "--epochs=3"
                      - "true"
                      env:
                      - name: LR
                        value: "0.1"
                      resources:
                        requests:
                          cpu: "8"
                          memory: "64Gi"
                        limits:
                          nvidia.com/gpu: 4
                      volumeMounts:
                      - name: script
                        mountPath: /opt/kubectl-pj
                        readOnly: true
                      - name: claim-0
                        mountPath: /data
                    volumes:
                    - name: script
                      configMap:
                        name: train-x7k2f-script
                    - name: claim-0
                      persistentVolumeClaim:
                        claimName: data
            """);
  }

  @Test
  void anElasticTrainingJob() {
    var job =
        Manifests.job(submission(JobKind.TRAINING_JOB, 2, Submission.Bounds.parse("1:4"), null));
    assertThat(job.at("spec", "elastic").value())
        .isEqualTo(Map.of("enabled", true, "minReplicas", 1, "maxReplicas", 4));
  }

  @Test
  void aPyTorchJobHasAMasterAmongItsNodes() {
    var job = Manifests.job(submission(JobKind.PYTORCH_JOB, 3, null, 1));
    var replicas = job.fields("spec", "pytorchReplicaSpecs");
    assertThat(replicas.keySet()).containsExactly("Master", "Worker");
    var worker = job.at("spec", "pytorchReplicaSpecs", "Worker");
    assertThat(worker.number("replicas")).isEqualTo(2);
    var container = worker.at("template", "spec").items("containers").get(0);
    assertThat(container.text("name")).isEqualTo("pytorch");
    assertThat(container.at("command").value())
        .isEqualTo(
            List.of(
                "torchrun", "--max-restarts=1", "/opt/kubectl-pj/train.py", "--epochs=3", "true"));
    assertThat(job.text("spec", "nprocPerNode")).isEqualTo("2");
    assertThat(
            Manifests.job(submission(JobKind.PYTORCH_JOB, 1, null, null))
                .fields("spec", "pytorchReplicaSpecs"))
        .containsOnlyKeys("Master");
  }

  @Test
  void anElasticPyTorchJobHasWorkersOnly() {
    var job = Manifests.job(submission(JobKind.PYTORCH_JOB, 2, Submission.Bounds.parse("1:4"), 5));
    assertThat(job.fields("spec", "pytorchReplicaSpecs")).containsOnlyKeys("Worker");
    assertThat(job.at("spec", "elasticPolicy").value())
        .isEqualTo(
            Map.of("minReplicas", 1, "maxReplicas", 4, "rdzvBackend", "c10d", "maxRestarts", 5));
  }

  @Test
  void boundsAreChecked() {
    assertThatThrownBy(() -> Submission.Bounds.parse("4")).hasMessageContaining("MIN:MAX");
    assertThatThrownBy(() -> Submission.Bounds.parse("4:1")).hasMessageContaining("at most MAX");
  }
}
