package dev.tensorstack.training.kind.trainingjob.admission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.policy.AcceleratorResources;
import dev.tensorstack.training.kind.trainingjob.v1beta1.Elastic;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import java.util.Objects;
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
  void blocksThatAreNotGivenStayAwayButRunPolicyAndTheCountThatScaleReads() {
    PyTorchTrainingJobSpec spec = complete("{replicaSpecs: [" + TYPE + "]}");

    assertThat(spec.torchrunConfig()).isNull();
    assertThat(spec.elastic()).isEqualTo(new Elastic(false, null, null, null, 1, null));
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

  /** A PodDisruptionBudget asks {@code scale} how many pods there shall be. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "2 | {} | 2",
        "2 | {enabled: false} | 2",
        "7 | {minReplicas: 1, maxReplicas: 3} | 7",
        "7 | {enable: false, expectedReplicas: 5} | 5",
        "0 | {} | 0"
      })
  void aJobThatIsNotElasticSaysHowManyPodsItHas(int replicas, String elastic, int expected) {
    assertThat(
            complete(
                    "{replicaSpecs: ["
                        + TYPE.replace("type: w", "type: w, replicas: " + replicas)
                        + "], elastic: "
                        + elastic
                        + "}")
                .elastic()
                .expectedReplicas())
        .isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{replicaSpecs: [{type: a, replicas: -1}]}",
        "{replicaSpecs: [{type: a, replicas: 2147483647}, {type: b}]}",
        "{replicaSpecs: []}"
      })
  void aNumberThatNoJobCanHaveIsNotStored(String spec) {
    assertThat(complete(spec).elastic()).isNull();
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

  /** Columns: stored, written, what is meant. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "enabled: false | enabled: false, enable: true | true",
        "enabled: true | enabled: true, enable: false | false",
        "enabled: true | enabled: true, enable: true | true",
        "enabled: false | enable: true | true",
        "enabled: true | enabled: false, enable: true | false",
        "enabled: false | enabled: true, enable: false | true",
        "enable: false | enabled: false, enable: true | false",
        "enable: false | enable: true | true",
        "enabled: false, enable: true | enabled: false, enable: true | false",
        "enabled: false, enable: false | enabled: false, enable: true | true",
        "'' | enabled: false, enable: true | false"
      })
  void theSpellingThatIsNewInAChangeCounts(String stored, String written, boolean meant) {
    String blocks =
        "{torchrunConfig: {%1$s}, elastic: {%1$s}, runMode: {debug: {%1$s}, pause: {%1$s}}}";

    PyTorchTrainingJobSpec spec =
        defaulter.complete(read(blocks.formatted(written)), read(blocks.formatted(stored)));

    assertThat(
            List.of(
                Objects.requireNonNull(spec.torchrunConfig()).enabled(),
                Objects.requireNonNull(spec.elastic()).enabled(),
                Objects.requireNonNull(Objects.requireNonNull(spec.runMode()).debug()).enabled(),
                Objects.requireNonNull(spec.runMode().pause()).enabled()))
        .containsOnly(meant);
    assertThat(defaulter.complete(spec, read(blocks.formatted(stored)))).isEqualTo(spec);
  }

  @Test
  void aBlockThatIsNewInAChangeIsReadAsAtCreation() {
    String both =
        "{torchrunConfig: {enabled: false, enable: true}, runMode: {pause: {enabled: false, enable: true}}}";

    assertThat(defaulter.complete(read(both), read("{}"))).isEqualTo(complete(both));
    assertThat(defaulter.complete(read(both), read("{runMode: {}}"))).isEqualTo(complete(both));
  }

  private static PyTorchTrainingJobSpec read(String spec) {
    return Serialization.unmarshal("---\n" + spec, PyTorchTrainingJobSpec.class);
  }
}
