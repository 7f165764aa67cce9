package dev.tensorstack.training.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJob;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobStatus;
import dev.tensorstack.training.world.StoredJob;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JobReadingsTest {

  private static final String JOB =
      """
      apiVersion: batch.tensorstack.dev/v1beta1
      kind: PyTorchTrainingJob
      metadata:
        name: train
        namespace: ns
        uid: 422e8cc7
        generation: 1
        resourceVersion: "%s"
        creationTimestamp: "2026-01-01T00:00:00Z"
        labels: {}
      spec:
        replicaSpecs:
        - type: worker
          replicas: %d
          template: {spec: {containers: [{name: pytorch, image: train}]}}
      """;

  private final KubernetesSerialization serialization = new KubernetesSerialization();
  private final JobReadings<PyTorchTrainingJob> readings = new JobReadings<>(StoredJob.KIND);

  private PyTorchTrainingJob job(String version, int replicas) {
    return serialization.unmarshal(JOB.formatted(version, replicas), PyTorchTrainingJob.class);
  }

  @Test
  void aJobIsReadOnceAsLongAsNothingChanges() {
    PyTorchTrainingJob stored = job("1", 2);

    TrainingJob first = readings.read(stored);

    assertThat(first).isEqualTo(StoredJob.KIND.read(stored));
    assertThat(readings.read(StoredJob.KIND.copy(stored))).isSameAs(first);
  }

  @Test
  void aSpecIsReadOncePerGeneration() {
    TrainingJob first = readings.read(job("1", 2));
    PyTorchTrainingJob later = job("2", 2);
    later.setStatus(
        serialization.unmarshal("{\"phase\": \"Running\"}", PyTorchTrainingJobStatus.class));

    TrainingJob second = readings.read(later);

    assertThat(second.spec()).isSameAs(first.spec());
    assertThat(second).isEqualTo(StoredJob.KIND.read(later));
  }

  @Test
  void whatChangesIsReadAnew() {
    PyTorchTrainingJob stored = job("1", 2);
    readings.read(stored);
    PyTorchTrainingJob spec = job("2", 3);
    spec.getMetadata().setGeneration(2L);
    PyTorchTrainingJob labels = job("3", 3);
    labels.getMetadata().setGeneration(2L);
    labels.getMetadata().setLabels(Map.of("kueue.x-k8s.io/queue-name", "q"));
    PyTorchTrainingJob deleted = StoredJob.KIND.copy(labels);
    deleted.getMetadata().setDeletionTimestamp("2026-01-01T00:01:00Z");

    for (PyTorchTrainingJob next : new PyTorchTrainingJob[] {spec, labels, deleted}) {
      assertThat(readings.read(next)).isEqualTo(StoredJob.KIND.read(next));
    }
  }
}
