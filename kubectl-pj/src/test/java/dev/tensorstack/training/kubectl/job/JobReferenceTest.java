package dev.tensorstack.training.kubectl.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JobReferenceTest {

  @ParameterizedTest
  @CsvSource({
    "pj/mnist, TRAINING_JOB",
    "PyTorchTrainingJob/mnist, TRAINING_JOB",
    "pytorchtrainingjobs.batch.tensorstack.dev/mnist, TRAINING_JOB",
    "pytorchtrainingjobs.v1beta1.batch.tensorstack.dev/mnist, TRAINING_JOB",
    "pytorchjob/mnist, PYTORCH_JOB",
    "pytorchjobs/mnist, PYTORCH_JOB",
    "pytorchjob.kubeflow.org/mnist, PYTORCH_JOB"
  })
  void kindsAreSpelledAsForKubectl(String text, JobKind kind) {
    assertThat(JobReference.parse(text)).isEqualTo(new JobReference(kind, "mnist"));
  }

  @Test
  void aNameAloneMayBeOfEitherKind() {
    assertThat(JobReference.parse("mnist").kind()).isNull();
  }

  @Test
  void anotherKindIsRefusedWithWhatToWrite() {
    assertThatThrownBy(() -> JobReference.parse("job/mnist"))
        .hasMessage("\"job\" is no kind of job: write pj/mnist or pytorchjob/mnist");
    assertThatThrownBy(() -> JobReference.parse("pj/")).hasMessageContaining("names no job");
    assertThatThrownBy(() -> JobReference.parse("pj/../x")).hasMessageContaining("names no job");
  }
}
