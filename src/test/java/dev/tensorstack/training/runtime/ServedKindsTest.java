package dev.tensorstack.training.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ServedKindsTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "PyTorchTrainingJob,PyTorchJob | true | true",
        "PyTorchJob, PyTorchTrainingJob | true | true",
        "PyTorchTrainingJob | true | false",
        " PyTorchJob  | false | true",
        "PyTorchJob,PyTorchJob | false | true",
      })
  void theKindsOfTheSettingAreServed(String setting, boolean trainingJobs, boolean pyTorchJobs) {
    ServedKinds served = ServedKinds.of(Arrays.asList(setting.split(",")));

    assertThat(served.includes(ServedKinds.TRAINING_JOB)).isEqualTo(trainingJobs);
    assertThat(served.includes(ServedKinds.PYTORCH_JOB)).isEqualTo(pyTorchJobs);
    assertThat(served.includes("TFJob")).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"TFJob", "pytorchjob", "PyTorchJobs", "", "PyTorchJob;PyTorchTrainingJob"})
  void anUnknownWordIsRefusedWithTheKnownOnes(String word) {
    assertThatThrownBy(() -> ServedKinds.of(List.of(ServedKinds.PYTORCH_JOB, word)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll(
            "operator.kinds", "'" + word + "'", "PyTorchTrainingJob or PyTorchJob");
  }

  @Test
  void noKindAtAllIsRefused() {
    assertThatThrownBy(() -> ServedKinds.of(List.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll("operator.kinds names no kind", "leave it out for both");
  }
}
