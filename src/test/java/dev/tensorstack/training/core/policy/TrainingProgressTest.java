package dev.tensorstack.training.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.ledger.Training;
import dev.tensorstack.training.core.model.TrainingReport;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is known of a training follows from its reports. */
class TrainingProgressTest {

  private static final Instant T0 = Instant.parse("2026-01-01T00:00:00Z");

  private static TrainingReport report(
      int second, int attempt, @Nullable Integer percent, String... metrics) {
    List<TrainingReport.Metric> all = new ArrayList<>();
    for (String metric : metrics) {
      int equals = metric.indexOf('=');
      all.add(new TrainingReport.Metric(metric.substring(0, equals), metric.substring(equals + 1)));
    }
    return new TrainingReport(attempt, percent, null, all, T0.plusSeconds(second));
  }

  private static Training after(@Nullable Training before, TrainingReport... reports) {
    return Objects.requireNonNull(
        TrainingProgress.after(before, List.of(reports), 0, T0.plusSeconds(1000)));
  }

  @Test
  void withoutAReportNothingIsKnown() {
    assertThat(TrainingProgress.after(null, List.of(), 0, T0)).isNull();
  }

  @Test
  void theLastReportIsWhatIsKnown() {
    Training training = after(null, report(1, 0, 10, "step=1"), report(2, 0, 20, "step=2"));

    assertThat(training.percent()).isEqualTo(20);
    assertThat(training.step()).isEqualTo("2");
    assertThat(training.updatedAt()).isEqualTo(T0.plusSeconds(2));
  }

  @Test
  void theTimeOfAStepIsThatOfItsFirstReport() {
    Training training =
        after(
            null,
            report(1, 0, 10, "step=7"),
            report(2, 0, 10, "step=7"),
            report(9, 0, 10, "step=7"));

    assertThat(training.stepAt()).isEqualTo(T0.plusSeconds(1));
    assertThat(training.updatedAt()).isEqualTo(T0.plusSeconds(9));
  }

  @Test
  void aStepBackAfterARestartFromACheckpointIsAnotherStep() {
    assertThat(after(null, report(1, 0, null, "step=70"), report(2, 0, null, "step=50")).stepAt())
        .isEqualTo(T0.plusSeconds(2));
  }

  @Test
  void withoutAStepThePercentageTellsWhetherItGoesOn() {
    assertThat(after(null, report(1, 0, 10), report(2, 0, 10)).stepAt())
        .isEqualTo(T0.plusSeconds(1));
    assertThat(after(null, report(1, 0, 10), report(2, 0, 11)).stepAt())
        .isEqualTo(T0.plusSeconds(2));
  }

  @Test
  void aLastReportWithoutAStepKeepsTheStep() {
    Training training = after(null, report(1, 0, 99, "step=70"), report(2, 0, 100, "runtime=9"));

    assertThat(training.step()).isEqualTo("70");
    assertThat(training.percent()).isEqualTo(100);
    assertThat(training.stepAt()).isEqualTo(T0.plusSeconds(2));
  }

  @Test
  void withNeitherEachReportTellsThatItGoesOn() {
    assertThat(after(null, report(1, 0, null, "a=1"), report(2, 0, null, "a=1")).stepAt())
        .isEqualTo(T0.plusSeconds(2));
  }

  @Test
  void whatIsKnownIsNotTakenTwice() {
    TrainingReport nan = report(1, 0, 10, "loss=nan");
    Training once = after(null, nan);

    assertThat(once.notANumber()).isEqualTo(1);
    assertThat(after(once, nan)).isEqualTo(once);
  }

  @Test
  void aReportOfAnEarlierAttemptIsNotTaken() {
    assertThat(TrainingProgress.after(null, List.of(report(1, 0, 10)), 1, T0)).isNull();
  }

  @Test
  void inANewAttemptTheSameStepIsNews() {
    Training before = after(null, report(1, 0, 10, "step=7", "loss=nan"));
    Training training =
        Objects.requireNonNull(
            TrainingProgress.after(before, List.of(report(5, 1, 10, "step=7")), 1, T0));

    assertThat(training.stepAt()).isEqualTo(T0.plusSeconds(5));
    assertThat(training.notANumber()).isZero();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "loss=nan",
        "loss=NaN",
        "train_loss= inf",
        "eval/loss=-Infinity",
        "train/loss=+nan"
      })
  void aLossThatIsNoNumberIsCountedWhileNoOtherComes(String metric) {
    Training training = after(null, report(1, 0, 1, metric), report(2, 0, 2, metric));
    assertThat(training.notANumber()).isEqualTo(2);

    assertThat(after(training, report(3, 0, 3, "grad=1")).notANumber())
        .as("says nothing of the loss")
        .isEqualTo(2);
    assertThat(after(training, report(3, 0, 3, "loss=0.5")).notANumber()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"glossiness=nan", "lossy=nan", "accuracy=nan", "loss=banana"})
  void nothingElseIsALossThatIsNoNumber(String metric) {
    assertThat(after(null, report(1, 0, 1, metric)).notANumber()).isZero();
  }

  @Test
  void aTimeThatNobodyCanHaveReportedIsNoObstacle() {
    Training edited =
        new Training(1, null, List.of(), null, 0, T0.plus(Duration.ofDays(900)), T0, 0, null);

    assertThat(after(edited, report(1, 0, 10)).percent()).isEqualTo(10);
  }
}
