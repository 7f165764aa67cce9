package dev.tensorstack.training.kind.pytorchjob.admission;

import static dev.tensorstack.training.kind.pytorchjob.admission.Jobs.given;
import static dev.tensorstack.training.kind.pytorchjob.admission.Jobs.spec;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.kind.pytorchjob.v1.ElasticPolicy;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJobSpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DefaulterTest {

  @Test
  void everyDefaultOfKubeflowIsGiven() {
    assertThat(
            spec(
                """
                pytorchReplicaSpecs:
                  Worker: {replicas: 3, template: {spec: {containers: [{name: pytorch}]}}}
                  Master: {template: {spec: {containers: [{name: side}, {name: pytorch}]}}}
                elasticPolicy: {}
                """))
        .isEqualTo(
            given(
                """
                pytorchReplicaSpecs:
                  Worker:
                    replicas: 3
                    restartPolicy: OnFailure
                    template: {spec: {containers: [
                      {name: pytorch, ports: [{name: pytorchjob-port, containerPort: 23456}]}]}}
                  Master:
                    replicas: 1
                    restartPolicy: OnFailure
                    template: {spec: {containers: [{name: side},
                      {name: pytorch, ports: [{name: pytorchjob-port, containerPort: 23456}]}]}}
                nprocPerNode: auto
                elasticPolicy: {minReplicas: 3, maxReplicas: 3, rdzvBackend: c10d}
                runPolicy: {cleanPodPolicy: None, suspend: false}
                """));
  }

  @Test
  void typesKeepTheirOrder() {
    assertThat(spec("{pytorchReplicaSpecs: {Worker: {}, x: {}, Master: {}}}").pytorchReplicaSpecs())
        .containsOnlyKeys("Worker", "x", "Master")
        .extracting(types -> String.join(" ", types.keySet()))
        .isEqualTo("Worker x Master");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{} | 3 | 3",
        "{minReplicas: 1} | 1 | 1",
        "{maxReplicas: 5} | 5 | 5",
        "{minReplicas: 1, maxReplicas: 5} | 1 | 5",
      })
  void oneBoundIsTheOtherAndBothAreTheWorkers(String elastic, int min, int max) {
    ElasticPolicy policy = spec(Jobs.job("elasticPolicy: " + elastic)).elasticPolicy();

    assertThat(policy.minReplicas()).isEqualTo(min);
    assertThat(policy.maxReplicas()).isEqualTo(max);
  }

  @Test
  void theDeprecatedNumberOfProcessesIsKeptInItsPlace() {
    PyTorchJobSpec spec = spec(Jobs.job("elasticPolicy: {nProcPerNode: 2}"));

    assertThat(spec.nprocPerNode()).isNull();
    assertThat(spec.elasticPolicy().nProcPerNode()).isEqualTo(2);
  }

  @Test
  void aPortOfThatNameIsKept() {
    String ports = "ports: [{containerPort: 80}, {name: pytorchjob-port, containerPort: 2222}]";
    String job = Jobs.job("").replace("image: i:1", "image: i:1, " + ports);

    assertThat(Jobs.workersOf(spec(job)).template())
        .isEqualTo(Jobs.workersOf(given(job)).template());
  }

  @Test
  void unknownFieldsOfATemplateSurvive() {
    String job = Jobs.job("").replace("{spec: {", "{spec: {futureField: {a: 1}, ");

    assertThat(Jobs.workersOf(spec(job)).template().getSpec().getAdditionalProperties())
        .containsKey("futureField");
  }

  @Test
  void whatIsGivenIsKept() {
    PyTorchJobSpec spec =
        spec(
            Jobs.job(
                "nprocPerNode: gpu, runPolicy: {cleanPodPolicy: '', suspend: true, managedBy: m,"
                    + " backoffLimit: 1}"));

    assertThat(spec.nprocPerNode()).isEqualTo("gpu");
    assertThat(spec.runPolicy().cleanPodPolicy()).isEmpty();
    assertThat(spec.runPolicy().suspend()).isTrue();
    assertThat(spec.runPolicy().managedBy()).isEqualTo("m");
    assertThat(spec.runPolicy().backoffLimit()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{pytorchReplicaSpecs: null}",
        "{pytorchReplicaSpecs: {Master: null, Worker: {template: null}}, elasticPolicy: {}}",
        "{pytorchReplicaSpecs: {Worker: {template: {spec: {containers: null}}}}}",
        "{pytorchReplicaSpecs: {Worker: {template: {spec: {containers: [null, {name: pytorch, ports: [null]}]}}}}}",
        "{elasticPolicy: {minReplicas: 1}}"
      })
  void aSecondRunChangesNothingWhateverIsMissing(String odd) {
    assertThat(Defaulter.complete(spec(odd))).isEqualTo(spec(odd));
  }

  @Test
  void nothingBecomesAnEmptySpec() {
    assertThat(Defaulter.complete(null)).isEqualTo(new PyTorchJobSpec(null, null, null, null));
  }

  @Test
  void whatWasGivenIsNotChanged() {
    PyTorchJobSpec given = given(Jobs.job("elasticPolicy: {}"));
    PyTorchJobSpec completed = Defaulter.complete(given);

    assertThat(completed).isNotEqualTo(given);
    assertThat(given).isEqualTo(given(Jobs.job("elasticPolicy: {}")));
  }
}
