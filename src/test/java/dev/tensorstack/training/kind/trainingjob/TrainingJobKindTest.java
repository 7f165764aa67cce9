package dev.tensorstack.training.kind.trainingjob;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.policy.AcceleratorResources;
import dev.tensorstack.training.core.report.JobEvent;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJob;
import io.fabric8.kubernetes.client.utils.Serialization;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TrainingJobKindTest {

  private final TrainingJobKind kind = new TrainingJobKind(AcceleratorResources.DEFAULT);

  private static PyTorchTrainingJob job(String spec) {
    return Serialization.unmarshal(
        """
        apiVersion: batch.tensorstack.dev/v1beta1
        kind: PyTorchTrainingJob
        metadata: {namespace: ns, name: mnist, uid: u1}
        spec: %s
        """
            .formatted(spec),
        PyTorchTrainingJob.class);
  }

  @ParameterizedTest
  @CsvSource({
    "null, true",
    "batch.tensorstack.dev/pytorchtrainingjob-operator, true",
    "kueue.x-k8s.io/multikueue, false",
    "batch.tensorstack.dev/another, false",
    "'', false",
  })
  void aJobIsManagedHereWithoutAWordOrWithThisOperatorsName(String managedBy, boolean here) {
    assertThat(kind.isManagedHere(job("{managedBy: " + quoted(managedBy) + "}"))).isEqualTo(here);
  }

  private static String quoted(String value) {
    return value.equals("null") ? value : "'" + value + "'";
  }

  /** It is reported as unreadable: whom it names is not known. */
  @Test
  void aJobWhoseSpecIsMissingOrUnreadableIsManagedHere() {
    assertThat(kind.isManagedHere(job("null"))).isTrue();
    PyTorchTrainingJob odd = job("{managedBy: a/b, replicaSpecs: 7}");
    assertThat(kind.unreadable(odd)).isNotNull();
    assertThat(kind.isManagedHere(odd)).isTrue();
    assertThat(kind.leftAlone(odd)).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{managedBy: batch.tensorstack.dev/pytorchtrainingjob-operator}",
        "{managedBy: kueue.x-k8s.io/multikueue}",
        "{managedBy: example.com/other}",
      })
  void ofAJobOnWhichSomebodyMayWorkNothingIsTold(String spec) {
    assertThat(kind.leftAlone(job(spec))).isNull();
  }

  @Test
  void aJobThatWasStoredPastTheRulesWithNobodysNameIsToldThatNobodyWorksOnIt() {
    assertThat(kind.leftAlone(job("{managedBy: multikueue}")))
        .isEqualTo(
            new JobEvent(
                "UnknownManager",
                true,
                0,
                "spec.managedBy: \"multikueue\" is nobody's name, so the job is left alone: create it"
                    + " again with one such as batch.tensorstack.dev/pytorchtrainingjob-operator,"
                    + " or without the field"));
  }
}
