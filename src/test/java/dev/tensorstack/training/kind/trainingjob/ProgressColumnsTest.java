package dev.tensorstack.training.kind.trainingjob;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.ledger.Training;
import dev.tensorstack.training.core.model.JobPhase;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How far a training is, as {@code kubectl get} shows it. */
class ProgressColumnsTest {

  private static Training training(@Nullable Integer percent, @Nullable Long seconds) {
    return new Training(percent, seconds, List.of(), null, 0, null, null, 0, null);
  }

  @ParameterizedTest
  @CsvSource({"0, 0s", "59, 59s", "60, 1m", "61, 1m1s", "3600, 1h", "8100, 2h15m", "90000, 1d1h"})
  void theTimeLeftIsWrittenAsAges(long seconds, String text) {
    assertThat(ProgressColumns.eta(training(1, seconds), JobPhase.Running)).isEqualTo(text);
  }

  @Test
  void whatWasNotReportedIsEmptyAndAJobThatDoesNotRunHasNoTimeLeft() {
    assertThat(ProgressColumns.progress(null)).isNull();
    assertThat(ProgressColumns.progress(training(null, null))).isNull();
    assertThat(ProgressColumns.progress(training(43, null))).isEqualTo("43%");
    assertThat(ProgressColumns.eta(training(1, null), JobPhase.Running)).isNull();
    assertThat(ProgressColumns.eta(training(1, 60L), JobPhase.Paused)).isNull();
  }
}
