package dev.tensorstack.training.kind.trainingjob.v1beta1;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.utils.Serialization;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PyTorchTrainingJobTest {

  private static PyTorchTrainingJob read(String spec) {
    return Serialization.unmarshal(
        """
        apiVersion: batch.tensorstack.dev/v1beta1
        kind: PyTorchTrainingJob
        metadata: {name: mnist, resourceVersion: "7"}
        spec: %s
        status: {phase: Running, attempt: 2}
        """
            .formatted(spec),
        PyTorchTrainingJob.class);
  }

  @ParameterizedTest
  @CsvSource({
    "'{enabled: true}',                true",
    "'{enable: true}',                 true",
    "'{enabled: false, enable: true}', false",
    "'{enable: true, enabled: false}', false",
    "'{enabled: true, enable: false}', true",
    "'{}',                             false",
  })
  void bothSpellingsAreReadAndTheNewOneWins(String block, boolean on) {
    PyTorchTrainingJob job =
        read(
            "{torchrunConfig: %s, elastic: %s, runMode: {debug: %s, pause: %s}}"
                .formatted(block, block, block, block));

    assertThat(job.getSpec().torchrunConfig().on()).isEqualTo(on);
    assertThat(job.getSpec().elastic().on()).isEqualTo(on);
    assertThat(job.getSpec().runMode().debug().on()).isEqualTo(on);
    assertThat(job.getSpec().runMode().pause().on()).isEqualTo(on);
  }

  @Test
  void fieldsOfALaterVersionAreNoMistake() {
    PyTorchTrainingJob job =
        read("{fromTheFuture: {a: [1]}, runPolicy: {later: 1, backoffLimit: 5}}");

    assertThat(job.unreadable()).isNull();
    assertThat(job.getSpec().runPolicy().backoffLimit()).isEqualTo(5);
  }

  @Test
  void anUnknownWordIsReadable() {
    PyTorchTrainingJob job = read("{replicaSpecs: [{type: a, restartPolicy: Sometimes}]}");

    assertThat(job.unreadable()).isNull();
    assertThat(job.getSpec().replicaSpecs().get(0).restartPolicy()).isEqualTo("Sometimes");
  }

  @Test
  void aSpecThatDoesNotFitIsNamedAndTheRestIsRead() {
    PyTorchTrainingJob job = read("{replicaSpecs: [{type: a, replicas: {x: 1}}]}");

    assertThat(job.unreadable()).startsWith("spec.replicaSpecs[0].replicas: ");
    assertThat(job.getSpec()).isNull();
    assertThat(job.getMetadata().getName()).isEqualTo("mnist");
    assertThat(job.getStatus().attempt()).isEqualTo(2);
  }

  /** Wherever the mistake is, what comes after it is not lost. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{runPolicy: [1, {a: [2]}], elastic: {on: true}}     | spec.runPolicy: ",
        "{elastic: {minReplicas: [1, {a: b}]}, replicaSpecs: []} | spec.elastic.minReplicas: ",
        "{replicaSpecs: {a: {b: [c]}}}                       | spec.replicaSpecs: ",
        "{replicaSpecs: [{type: a}, {replicas: [[3], 4]}]}   | spec.replicaSpecs[1].replicas: ",
        "[{a: [1]}, 2]                                       | spec: ",
        "a word                                              | spec: ",
      })
  void afterAPartThatDoesNotFitTheRestIsRead(String spec, String problem) {
    PyTorchTrainingJob job = read(spec);

    assertThat(job.unreadable()).startsWith(problem);
    assertThat(job.getSpec()).isNull();
    assertThat(job.getMetadata().getName()).isEqualTo("mnist");
    assertThat(job.getStatus().attempt()).isEqualTo(2);
  }

  @Test
  void aCopyHasMetadataOfItsOwnAndTheMarkOfAnUnreadableObject() {
    PyTorchTrainingJob job = read("{replicaSpecs: [{type: a, replicas: {x: 1}}]}");
    PyTorchTrainingJob copy = job.copy();
    copy.getMetadata().setResourceVersion("8");
    copy.setStatus(null);

    assertThat(copy.unreadable()).isEqualTo(job.unreadable());
    assertThat(copy.getMetadata().getName()).isEqualTo("mnist");
    assertThat(job.getMetadata().getResourceVersion()).isEqualTo("7");
    assertThat(job.getStatus().attempt()).isEqualTo(2);
    assertThat(read("{}").copy()).isEqualTo(read("{}"));
  }

  @Test
  void aTopLevelFieldOfALaterVersionIsNoMistake() {
    PyTorchTrainingJob job =
        Serialization.unmarshal(
            """
            apiVersion: batch.tensorstack.dev/v1beta1
            kind: PyTorchTrainingJob
            metadata: {name: mnist}
            later: {a: 1}
            """,
            PyTorchTrainingJob.class);

    assertThat(job.unreadable()).isNull();
  }

  @Test
  void procPerNodeIsANumberOrAWord() {
    assertThat(read("{torchrunConfig: {procPerNode: 8}}").getSpec().torchrunConfig().procPerNode())
        .extracting("value")
        .isEqualTo(8);
    assertThat(
            read("{torchrunConfig: {procPerNode: \"8\"}}").getSpec().torchrunConfig().procPerNode())
        .extracting("value")
        .isEqualTo("8");
  }

  @Test
  void whatIsReadIsWrittenAgainUnchanged() {
    String spec =
        "{replicaSpecs: [{type: a, template: {spec: {futureField: 1, containers: [{name: c}]}}}]}";
    PyTorchTrainingJob job = read(spec);

    String written = Serialization.asJson(job);

    assertThat(written).contains("\"futureField\":1").doesNotContain("unreadable", "\"on\"");
    assertThat(Serialization.unmarshal(written, PyTorchTrainingJob.class).getSpec())
        .isEqualTo(job.getSpec());
  }
}
