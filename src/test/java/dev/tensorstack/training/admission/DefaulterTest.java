package dev.tensorstack.training.admission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.api.v1beta1.PyTorchTrainingJobSpec;
import dev.tensorstack.training.policy.AcceleratorResources;
import io.fabric8.kubernetes.client.utils.Serialization;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DefaulterTest {

  private static final String TYPE = "{type: w, template: {spec: {containers: [{name: c}]}}}";
  private static final String GPU_TYPE =
      "{type: w, template: {spec: {containers: [{name: c, resources: {limits: {nvidia.com/gpu: 2}}}]}}}";

  private final Defaulter defaulter = new Defaulter(AcceleratorResources.DEFAULT);

  private PyTorchTrainingJobSpec complete(String spec) {
    return defaulter.complete(
        Serialization.unmarshal("---\n" + spec, PyTorchTrainingJobSpec.class));
  }

  @Test
  void everyDefaultOfTheContractIsGiven() {
    PyTorchTrainingJobSpec spec =
        complete(
            "{replicaSpecs: ["
                + TYPE
                + "], torchrunConfig: {enable: true}, scheduler: {t9kScheduler: {queue: null}},"
                + " elastic: {enable: true, minReplicas: 2, maxReplicas: 4}}");

    assertThat(spec)
        .isEqualTo(
            Serialization.unmarshal(
                """
                replicaSpecs:
                - type: w
                  replicas: 1
                  scalingWeight: 1
                  restartPolicy: Never
                  template: {spec: {restartPolicy: Never, containers: [{name: c}]}}
                torchrunConfig: {enabled: true, maxRestarts: 10, procPerNode: "1", rdzvBackend: c10d}
                elastic: {enabled: true, minReplicas: 2, maxReplicas: 4, expectedReplicas: 2}
                runPolicy:
                  backoffLimit: 3
                  cleanUpPolicy: Unfinished
                  restartScope: Replica
                  retryableExitCodes: [130, 137, 138, 143]
                scheduler: {t9kScheduler: {queue: default, priority: 10}}
                """,
                PyTorchTrainingJobSpec.class));
  }

  @Test
  void blocksThatAreNotGivenStayAwayAndTheRunPolicyIsAlwaysThere() {
    PyTorchTrainingJobSpec spec = complete("{replicaSpecs: [" + TYPE + "]}");

    assertThat(spec.torchrunConfig()).isNull();
    assertThat(spec.elastic()).isNull();
    assertThat(spec.runMode()).isNull();
    assertThat(spec.scheduler()).isNull();
    assertThat(spec.tensorboardSpec()).isNull();
    assertThat(spec.replicaSpecs().get(0).scalingWeight()).isNull();
    assertThat(spec.runPolicy().backoffLimit()).isEqualTo(3);
  }

  @ParameterizedTest
  @CsvSource({"1, Replica", "2, Job"})
  void aJobOfSeveralFixedPodsRestartsAsAWhole(int replicas, String scope) {
    assertThat(
            complete(
                    "{replicaSpecs: ["
                        + TYPE.replace("type: w", "type: w, replicas: " + replicas)
                        + "]}")
                .runPolicy()
                .restartScope())
        .isEqualTo(scope);
  }

  @Test
  void gpuIsTheDefaultWhereATrainingContainerAsksForOne() {
    assertThat(
            complete("{replicaSpecs: [" + GPU_TYPE + "], torchrunConfig: {enabled: true}}")
                .torchrunConfig()
                .procPerNode()
                .getValue())
        .isEqualTo("gpu");
  }

  @ParameterizedTest
  @CsvSource({"1, 3", "3, 3", "4, 4", "9, 5"})
  void expectedReplicasAreTheSumBroughtIntoTheRange(int replicas, int expected) {
    assertThat(
            complete(
                    "{replicaSpecs: ["
                        + TYPE.replace("type: w", "type: w, replicas: " + replicas)
                        + "], elastic: {enabled: true, minReplicas: 3, maxReplicas: 5}}")
                .elastic()
                .expectedReplicas())
        .isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{replicaSpecs: []}",
        "{replicaSpecs: [{}]}",
        "{replicaSpecs: [{type: a, template: {}}]}",
        "{replicaSpecs: [" + TYPE + "], elastic: {enabled: true}}",
        "{replicaSpecs: ["
            + GPU_TYPE
            + "], torchrunConfig: {enable: true}, runMode: {debug: {enable: true}}}",
      })
  void aSecondRunChangesNothing(String spec) {
    PyTorchTrainingJobSpec once = complete(spec);

    assertThat(defaulter.complete(once)).isEqualTo(once);
  }

  @Test
  void noSpecAtAllIsLeftToTheRules() {
    assertThat(defaulter.complete(null).replicaSpecs()).isNull();
  }
}
