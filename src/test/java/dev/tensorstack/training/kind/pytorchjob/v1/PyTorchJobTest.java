package dev.tensorstack.training.kind.pytorchjob.v1;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.utils.Serialization;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PyTorchJobTest {

  private static PyTorchJob read(String spec) {
    return Serialization.unmarshal(
        """
        apiVersion: kubeflow.org/v1
        kind: PyTorchJob
        metadata: {name: mnist, resourceVersion: "7"}
        spec: %s
        status: {startTime: "2024-01-01T00:00:00Z"}
        """
            .formatted(spec),
        PyTorchJob.class);
  }

  @Test
  void fieldsOfALaterVersionAreNoMistake() {
    PyTorchJob job = read("{fromTheFuture: {a: [1]}, runPolicy: {later: 1, backoffLimit: 5}}");

    assertThat(job.unreadable()).isNull();
    assertThat(job.getSpec().runPolicy().backoffLimit()).isEqualTo(5);
  }

  @Test
  void anUnknownWordIsReadable() {
    PyTorchJob job =
        read("{pytorchReplicaSpecs: {chief: {restartPolicy: x}}, runPolicy: {cleanPodPolicy: y}}");

    assertThat(job.unreadable()).isNull();
    assertThat(job.getSpec().pytorchReplicaSpecs().get("chief").restartPolicy()).isEqualTo("x");
    assertThat(job.getSpec().runPolicy().cleanPodPolicy()).isEqualTo("y");
  }

  @Test
  void typesKeepTheOrderInWhichTheyAreWritten() {
    assertThat(
            read("{pytorchReplicaSpecs: {Worker: {}, Master: null}}")
                .getSpec()
                .pytorchReplicaSpecs()
                .keySet())
        .containsExactly("Worker", "Master");
  }

  /** Wherever the mistake is, what comes after it is not lost. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{pytorchReplicaSpecs: {Worker: {replicas: many}}}   | spec.pytorchReplicaSpecs.Worker.replicas: ",
        "{pytorchReplicaSpecs: [{a: [1]}]}                   | spec.pytorchReplicaSpecs: ",
        "{runPolicy: [1, {a: [2]}], elasticPolicy: {}}       | spec.runPolicy: ",
        "{elasticPolicy: {minReplicas: [1, {a: b}]}}         | spec.elasticPolicy.minReplicas: ",
        "{elasticPolicy: {rdzvConf: [{key: a}, [3]]}}        | spec.elasticPolicy.rdzvConf[1]: ",
        "{runPolicy: {activeDeadlineSeconds: soon}}          | spec.runPolicy.activeDeadlineSeconds: ",
        "[{a: [1]}, 2]                                       | spec: ",
      })
  void aPartThatDoesNotFitIsNamedAndTheRestIsRead(String spec, String problem) {
    PyTorchJob job = read(spec);

    assertThat(job.unreadable()).startsWith(problem);
    assertThat(job.getSpec()).isNull();
    assertThat(job.getMetadata().getName()).isEqualTo("mnist");
    assertThat(job.getStatus().startTime()).isEqualTo("2024-01-01T00:00:00Z");
  }

  @Test
  void aStatusOfKubeflowsOperatorIsReadWithItsOlderFields() {
    PyTorchJob job =
        Serialization.unmarshal(
            """
            apiVersion: kubeflow.org/v1
            kind: PyTorchJob
            metadata: {name: mnist}
            status:
              conditions:
              - {type: Created, status: "True", reason: PyTorchJobCreated, message: m,
                 lastUpdateTime: "2024-01-01T00:00:00Z", lastTransitionTime: "2024-01-01T00:00:00Z"}
              - {type: Running, status: "True", reason: PyTorchJobRunning}
              replicaStatuses:
                Worker:
                  active: 2
                  labelSelector: {matchLabels: {a: b}}
                  selector: "training.kubeflow.org/job-name=mnist"
                Master: {}
              lastReconcileTime: "2024-01-01T00:00:00Z"
            """,
            PyTorchJob.class);

    assertThat(job.unreadable()).isNull();
    assertThat(job.getStatus().conditions())
        .extracting(JobCondition::type)
        .containsExactly("Created", "Running");
    assertThat(job.getStatus().replicaStatuses().get("Worker"))
        .isEqualTo(new ReplicaStatus(2, null, null, "training.kubeflow.org/job-name=mnist"));
    assertThat(job.getStatus().ledger()).isNull();
  }

  @Test
  void aCopyHasMetadataOfItsOwnAndTheMarkOfAnUnreadableObject() {
    PyTorchJob job = read("{pytorchReplicaSpecs: {Worker: {replicas: {x: 1}}}}");
    PyTorchJob copy = job.copy();
    copy.getMetadata().setResourceVersion("8");
    copy.setStatus(null);

    assertThat(copy.unreadable()).isEqualTo(job.unreadable()).isNotNull();
    assertThat(copy.getMetadata().getName()).isEqualTo("mnist");
    assertThat(job.getMetadata().getResourceVersion()).isEqualTo("7");
    assertThat(job.getStatus()).isNotNull();
    assertThat(read("{}").copy()).isEqualTo(read("{}"));
  }

  @Test
  void whatIsReadIsWrittenAgainUnchanged() {
    String spec =
        "{pytorchReplicaSpecs: {Worker: {template: {spec: {futureField: 1, containers: [{name: c}]}}}},"
            + " nprocPerNode: auto, elasticPolicy: {nProcPerNode: 2, rdzvConf: [{key: a, value: b}]},"
            + " runPolicy: {suspend: true, schedulingPolicy: {minResources: {cpu: 1}}}}";
    PyTorchJob job = read(spec);

    String written = Serialization.asJson(job);

    assertThat(written)
        .contains("\"futureField\":1", "\"nProcPerNode\":2", "\"apiVersion\":\"kubeflow.org/v1\"")
        .doesNotContain("unreadable", "suspended");
    assertThat(Serialization.unmarshal(written, PyTorchJob.class).getSpec())
        .isEqualTo(job.getSpec());
  }

  @ParameterizedTest
  @CsvSource({"'{}', false", "'{runPolicy: {}}', false", "'{runPolicy: {suspend: true}}', true"})
  void aJobIsSuspendedWhenItSaysSo(String spec, boolean suspended) {
    assertThat(read(spec).getSpec().suspended()).isEqualTo(suspended);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{pytorchReplicaSpecs: {Worker: {replicas: many}}} | a number is expected here, not \"many\"",
        "{pytorchReplicaSpecs: 3} | an object is expected here",
        "{runPolicy: {suspend: [1]}} | true or false is expected here",
        "{pytorchReplicaSpecs: {Worker: {template: {spec: {containers: x}}}}} | a list is expected here",
        "{pytorchReplicaSpecs: {Worker: {template: {spec: {containers: [{name: [1]}]}}}}} | a text is expected here",
      })
  void whatIsExpectedIsSaidInWordsOfJson(String spec, String words) {
    assertThat(read(spec).unreadable()).endsWith(": " + words).doesNotContain("java", "fabric8");
  }
}
