package dev.tensorstack.training.kind.pytorchjob;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.report.JobEvent;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJobStatus;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PyTorchJobKindTest {

  private static final String GOOD =
      "pytorchReplicaSpecs: {Master: {template: {spec: {containers: [{name: pytorch, image: i}]}}}}";

  /** A job that came while the webhooks were down. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "pytorchReplicaSpecs: {}",
        "pytorchReplicaSpecs: {Master: {}}",
        "pytorchReplicaSpecs: {Master: null}",
        "pytorchReplicaSpecs: {Worker: {replicas: 0}}",
        "pytorchReplicaSpecs: {worker: {replicas: 3}}",
        "pytorchReplicaSpecs: {Master: {replicas: 2, template: {spec: {containers: [{name: c}]}}}}",
        "elasticPolicy: {minReplicas: 3, maxReplicas: 1}",
      })
  void aWrongJobFailsInWordsAndStaysAsItIs(String spec) {
    Scene scene = Scene.of(spec);

    scene.settle();
    PyTorchJobStatus failed = scene.status();
    scene.pass(Duration.ofHours(1));
    scene.settle();

    assertThat(scene.pods()).isEmpty();
    assertThat(scene.services()).isEmpty();
    assertThat(scene.conditions()).last().isEqualTo("Failed True PyTorchJobFailed");
    assertThat(scene.condition("Failed").message()).contains("spec.");
    assertThat(failed.completionTime()).isNotNull();
    assertThat(scene.reasons())
        .containsExactly("Normal PyTorchJobCreated", "Warning PyTorchJobFailed");
    assertThat(scene.status()).isEqualTo(failed);
    assertThat(scene.writes()).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource({
    "null, true",
    "kubeflow.org/training-operator, true",
    "kueue.x-k8s.io/multikueue, false",
    "example.com/other, false",
  })
  void aJobIsManagedHereWithoutAWordOrWithThatOfKubeflowsOperator(String managedBy, boolean here) {
    Scene scene = Scene.of(GOOD + "\nrunPolicy: {managedBy: " + managedBy + "}");

    assertThat(scene.kind().isManagedHere(scene.stored())).isEqualTo(here);
  }

  @Test
  void aJobOfAnUnknownManagerIsToldThatNobodyWorksOnIt() {
    Scene scene = Scene.of(GOOD + "\nrunPolicy: {managedBy: example.com/other}");

    assertThat(scene.kind().leftAlone(scene.stored()))
        .isEqualTo(
            new JobEvent(
                "UnknownManager",
                true,
                0,
                "spec.runPolicy.managedBy: \"example.com/other\" is unknown, so the job is left"
                    + " alone: create it again with one of [kubeflow.org/training-operator,"
                    + " kueue.x-k8s.io/multikueue], or without the field"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "runPolicy: {}",
        "runPolicy: {managedBy: kubeflow.org/training-operator}",
        "runPolicy: {managedBy: kueue.x-k8s.io/multikueue}"
      })
  void aJobOfAKnownManagerIsToldNothing(String policy) {
    Scene scene = Scene.of(GOOD + "\n" + policy);

    assertThat(scene.kind().leftAlone(scene.stored())).isNull();
  }

  @Test
  void aJobWithoutARunPolicyIsManagedHere() {
    Scene scene = Scene.of(GOOD);

    assertThat(scene.kind().isManagedHere(scene.stored())).isTrue();
    assertThat(scene.kind().framework()).isEqualTo("pytorch");
    assertThat(scene.kind().missingScale(scene.stored())).as("nothing is stored").isEmpty();
  }

  private static boolean isAwaited(Scene scene) {
    return scene.kind().isAwaited(scene.stored(), scene.next());
  }

  @Test
  void clientsWaitForConditionsAndThatNoPodIsActiveAndForNothingElse() {
    Scene scene =
        Scene.of(
                """
                pytorchReplicaSpecs:
                  Master: {template: {spec: {containers: [{name: pytorch, image: i}]}}}
                  Worker: {replicas: 2, template: {spec: {containers: [{name: pytorch, image: i}]}}}
                """)
            .settle();
    scene.run("mnist-worker-0");
    assertThat(isAwaited(scene)).as("a worker runs").isFalse();
    scene.settle();
    scene.run("mnist-master-0");
    assertThat(isAwaited(scene)).as("the master runs").isTrue();
    scene.settle();
    scene.run("mnist-worker-1");
    assertThat(isAwaited(scene)).as("all run").isFalse();
    scene.settle();
    scene.exit("mnist-worker-0", 0);
    assertThat(isAwaited(scene)).as("one has ended").isFalse();
    scene.settle();
    scene.exit("mnist-worker-1", 0);
    scene.settle();
    scene.delete("mnist-master-0");
    assertThat(isAwaited(scene)).as("the last active pod is gone").isTrue();
  }
}
