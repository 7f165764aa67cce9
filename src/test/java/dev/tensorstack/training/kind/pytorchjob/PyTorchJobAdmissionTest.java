package dev.tensorstack.training.kind.pytorchjob;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.core.naming.ObjectKind;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.kind.ClusterDefaults;
import dev.tensorstack.training.kind.JobAdmission.TypeTemplate;
import dev.tensorstack.training.kind.pytorchjob.admission.Jobs;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJob;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJobSpec;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PyTorchJobAdmissionTest {

  private final PyTorchJobAdmission admission =
      new PyTorchJobAdmission(new PyTorchJobSettings("volcano", null), ClusterDefaults.NONE);

  private List<String> scaled(String stored, int replicas) {
    PyTorchJobSpec old = Jobs.spec(stored);
    return admission.violations("mnist", admission.scaled(old, replicas), old).stream()
        .map(Violation::field)
        .toList();
  }

  @Test
  void theKindIsThatOfKubeflow() {
    assertThat(admission.kind())
        .isEqualTo(new ObjectKind("kubeflow.org", "v1", "PyTorchJob", "pytorchjobs"));
    assertThat(admission.type()).isEqualTo(PyTorchJob.class);
  }

  @Test
  void anObjectWithoutASpecIsRefusedInWords() {
    PyTorchJob job = new PyTorchJob();
    PyTorchJobSpec spec = admission.complete(admission.spec(job), null);

    assertThat(admission.unreadable(job)).isNull();
    assertThat(admission.violations("mnist", spec, null))
        .extracting(Violation::describe)
        .containsExactly(
            "spec.pytorchReplicaSpecs: give at least one replica spec: Master or Worker");
  }

  @Test
  void everyRuleIsNamed() {
    assertThat(admission.rules())
        .contains("replica-specs", "job-name", "immutable-while-running", "readable")
        .doesNotHaveDuplicates();
  }

  @Test
  void scaleChangesTheNumberOfWorkersAlone() {
    PyTorchJobSpec spec = Jobs.spec(Jobs.job("nprocPerNode: gpu, elasticPolicy: {maxReplicas: 9}"));

    PyTorchJobSpec scaled = admission.scaled(spec, 7);

    assertThat(Jobs.workersOf(scaled).replicas()).isEqualTo(7);
    assertThat(admission.same(admission.scaled(scaled, 3), spec)).isTrue();
    assertThat(Jobs.workersOf(spec).replicas()).isEqualTo(3);
  }

  @Test
  void aJobIsScaledAsItsRulesAllow() {
    String elastic = "elasticPolicy: {minReplicas: 2, maxReplicas: 5}";
    String replicas = "spec.pytorchReplicaSpecs[Worker].replicas";

    assertThat(scaled(Jobs.job(""), 9)).isEmpty();
    assertThat(scaled(Jobs.job(""), 1)).isEmpty();
    assertThat(scaled(Jobs.job(""), 0)).containsExactly(replicas);
    assertThat(scaled(Jobs.job(""), -1)).containsExactly(replicas);
    assertThat(scaled(Jobs.job(elastic), 5)).isEmpty();
    assertThat(scaled(Jobs.job(elastic), 6)).containsExactly(replicas);
    assertThat(scaled(Jobs.job(elastic), 1)).containsExactly(replicas);
    assertThat(scaled("{pytorchReplicaSpecs: {Master: {}}}", 2))
        .contains("spec.pytorchReplicaSpecs[Worker].template");
  }

  /** What was wrong already is said in the same words of the stored job and of the new one. */
  @Test
  void mistakesThatAreStoredAlreadyAreRecognizedAfterAChangeElsewhere() {
    PyTorchJobSpec old = Jobs.spec(Jobs.jobOf("", "Worker: {restartPolicy: x}", "worker: {}"));
    PyTorchJobSpec changed =
        Jobs.spec(
            Jobs.jobOf("runPolicy: {backoffLimit: 5}", "Worker: {restartPolicy: x}", "worker: {}"));

    assertThat(admission.violations("mnist", old, null))
        .isNotEmpty()
        .isEqualTo(admission.violations("mnist", changed, old));
  }

  @Test
  void templatesAreNamedAsPodsAreAndHaveTheirPlaces() {
    PyTorchJobSpec spec =
        Jobs.spec(
            "{pytorchReplicaSpecs: {Worker: {template: {spec: {}}}, Master: {template: {}}}}");

    assertThat(admission.templates(spec))
        .extracting(TypeTemplate::type, TypeTemplate::path)
        .containsExactly(
            tuple("master", "spec.pytorchReplicaSpecs[Master].template"),
            tuple("worker", "spec.pytorchReplicaSpecs[Worker].template"));
  }

  @Test
  void nothingIsTakenOutOfAnObject() {
    JsonNode job = JsonNodeFactory.instance.objectNode().put("kind", "PyTorchJob");

    assertThat(admission.settled(job)).isSameAs(job);
  }

  @Test
  void warningsKnowTheGangScheduler() {
    String job = Jobs.job("").replace("{spec: {", "{spec: {schedulerName: mine, ");

    assertThat(
            admission.warnings(Jobs.given(job), Map.of(), Map.of(), "mnist", Jobs.spec(job), null))
        .hasSize(2);
    assertThat(
            new PyTorchJobAdmission(PyTorchJobSettings.PLAIN, ClusterDefaults.NONE)
                .warnings(Jobs.given(job), Map.of(), Map.of(), "mnist", Jobs.spec(job), null))
        .isEmpty();
  }

  /** Whose pods the API server tries before it stores the job. */
  @Test
  void aNewJobIsReadAsTheEngineWillReadIt() {
    TrainingJob job = admission.job("ns", "mnist", "uid", Map.of(), Jobs.spec(Jobs.job("")));

    assertThat(job.kind()).isEqualTo(PyTorchJobAdmission.KIND);
    assertThat(job.names().pod("worker", 0, 0)).isEqualTo("mnist-worker-0");
    assertThat(job.spec().traits().reusesPodNames()).isTrue();
    assertThat(job.spec().types()).isNotEmpty();
  }
}
