package dev.tensorstack.training.core.pod;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.model.RunModeKind;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.core.policy.AcceleratorResources;
import dev.tensorstack.training.core.policy.ReplicaLayout;
import dev.tensorstack.training.world.World;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The training container of a job that asks for it is told where to report, and no other one. */
class ProgressEndpointTest {

  private static final String SPEC =
      """
      replicaSpecs:
      - type: worker
        template:
          spec:
            containers:
            - {name: logger, image: "log:1"}
            - {name: python, image: "train:1", command: [python, train.py]%s}
      %s
      """;

  private static Pod pod(String container, String more) {
    TrainingJob job = new World(SPEC.formatted(container, more)).job();
    return new PodFactory(
            job,
            ReplicaLayout.of(job.spec()),
            AcceleratorResources.DEFAULT,
            null,
            null,
            new ProgressEndpoint("https://operator:9444", "PEM"))
        .pod(new ReplicaId("worker", 0), 0, 0, RunModeKind.TRAIN);
  }

  private static boolean isTold(Container container) {
    return container.getEnv().stream()
        .anyMatch(variable -> variable.getName().equals("KUBEFLOW_TRAINER_SERVER_TOKEN"));
  }

  @Test
  void aJobThatAsksForItIsTold() {
    Pod pod = pod("", "runPolicy: {progress: {}}");

    assertThat(isTold(pod.getSpec().getContainers().get(0))).isFalse();
    Container training = pod.getSpec().getContainers().get(1);
    assertThat(training.getEnv().get(0).getValue())
        .isEqualTo("https://operator:9444/progress/pytorchtrainingjobs/ns/mnist");
    assertThat(training.getVolumeMounts()).hasSize(1);
    assertThat(pod.getMetadata().getAnnotations())
        .containsEntry("batch.tensorstack.dev/progress-ca", "PEM");
    assertThat(pod.getSpec().getVolumes())
        .singleElement()
        .matches(
            volume ->
                volume.getProjected().getSources().stream()
                    .map(source -> source.getServiceAccountToken())
                    .filter(Objects::nonNull)
                    .anyMatch(
                        token -> token.getAudience().equals("progress.batch.tensorstack.dev")));
  }

  @Test
  void aJobThatDoesNotAskIsAsItWas() {
    Pod pod = pod("", "");

    assertThat(isTold(pod.getSpec().getContainers().get(1))).isFalse();
    assertThat(pod.getSpec().getVolumes()).isNullOrEmpty();
    assertThat(pod.getMetadata().getAnnotations())
        .doesNotContainKey("batch.tensorstack.dev/progress-ca");
  }

  @Test
  void aJobWhoseLogIsReadIsNotTold() {
    assertThat(
            isTold(
                pod("", "runPolicy: {progress: {logPattern: '(?P<step>a)'}}")
                    .getSpec()
                    .getContainers()
                    .get(1)))
        .isFalse();
  }

  @Test
  void whatTheTemplateSaysStays() {
    Pod pod =
        pod(
            ", env: [{name: KUBEFLOW_TRAINER_SERVER_URL, value: mine}]",
            "runPolicy: {progress: {}}");

    assertThat(isTold(pod.getSpec().getContainers().get(1))).isFalse();
    assertThat(pod.getSpec().getVolumes()).isNullOrEmpty();
  }
}
