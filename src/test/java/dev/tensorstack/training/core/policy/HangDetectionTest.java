package dev.tensorstack.training.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.ledger.Training;
import dev.tensorstack.training.core.model.ProgressPolicy;
import dev.tensorstack.training.core.observe.ReportGap;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A training hangs when it tells nothing new for longer than it may. */
class HangDetectionTest {

  private static final Instant RUN = Instant.parse("2026-01-01T00:00:00Z");

  private static ProgressPolicy policy(
      @Nullable Long start, @Nullable Long stall, @Nullable Integer nan) {
    return new ProgressPolicy(true, start, stall, nan, null, false);
  }

  private static Training step(int attempt, int second, int notANumber) {
    Instant at = RUN.plusSeconds(second);
    return new Training(5, null, List.of(), "12", attempt, at, at, notANumber, null);
  }

  private static HangDetection look(
      ProgressPolicy policy, @Nullable Training training, int second, @Nullable ReportGap gap) {
    return HangDetection.of(policy, training, 0, RUN, gap, RUN.plusSeconds(second));
  }

  @Test
  void theFirstReportIsExpectedWithinItsTime() {
    ProgressPolicy policy = policy(60L, null, null);

    assertThat(look(policy, null, 59, null))
        .isEqualTo(new HangDetection(null, RUN.plusSeconds(60)));
    Training.Problem problem = Objects.requireNonNull(look(policy, null, 60, null).problem());
    assertThat(problem.reason()).isEqualTo("NoProgress");
    assertThat(problem.message()).contains("no report since all pods run", "startSeconds: 60");
  }

  @Test
  void aNewerStepIsExpectedWithinItsTime() {
    ProgressPolicy policy = policy(null, 30L, null);

    assertThat(look(policy, step(0, 10, 0), 39, null).nextLook()).isEqualTo(RUN.plusSeconds(40));
    Training.Problem problem =
        Objects.requireNonNull(look(policy, step(0, 10, 0), 40, null).problem());
    assertThat(problem.message())
        .isEqualTo(
            "no newer step than the one of 2026-01-01T00:00:10Z (stallSeconds: 30); the last step"
                + " was 12");
  }

  @Test
  void aJobThatHasNeverReportedIsNotJudgedByItsSteps() {
    assertThat(look(policy(null, 30L, null), null, 9_999, null)).isEqualTo(HangDetection.NONE);
  }

  @Test
  void afterAChangeOfThePodsTheFirstReportIsExpectedAnew() {
    Training before = step(0, -500, 0);

    assertThat(look(policy(60L, 30L, null), before, 59, null).problem()).isNull();
    assertThat(look(policy(60L, 30L, null), before, 60, null).problem()).isNotNull();
    assertThat(look(policy(null, 30L, null), before, 9_999, null))
        .as("without a limit for it")
        .isEqualTo(HangDetection.NONE);
  }

  @Test
  void aReportOfAnEarlierAttemptIsNoneOfThisOne() {
    Training before = step(3, 10, 9);

    assertThat(look(policy(60L, 30L, 1), before, 59, null).problem()).isNull();
    assertThat(look(policy(60L, 30L, 1), before, 60, null).problem()).isNotNull();
  }

  @Test
  void soManyLossesThatAreNoNumberAreTooMany() {
    assertThat(look(policy(null, null, 3), step(0, 10, 2), 11, null)).isEqualTo(HangDetection.NONE);
    Training.Problem problem =
        Objects.requireNonNull(look(policy(null, null, 3), step(0, 10, 3), 11, null).problem());
    assertThat(problem.reason()).isEqualTo("NotANumber");
    assertThat(problem.message()).contains("not a number in 3 reports", "failOnNaN: 3");
  }

  @Test
  void aReportThatRepeatsTheStepOfBeforeIsHeardAfterAChangeOfThePods() {
    Training repeated =
        new Training(
            5, null, List.of(), "12", 0, RUN.plusSeconds(20), RUN.minusSeconds(500), 0, null);

    assertThat(look(policy(60L, null, null), repeated, 61, null)).isEqualTo(HangDetection.NONE);
    assertThat(look(policy(60L, 100L, null), repeated, 61, null).nextLook())
        .isEqualTo(RUN.plusSeconds(100));
  }

  @Test
  void lossesOfProcessesThatAreGoneDoNotCount() {
    assertThat(look(policy(null, null, 1), step(0, -10, 9), 11, null))
        .isEqualTo(HangDetection.NONE);
  }

  @Test
  void timeInWhichNobodyCouldHearDoesNotCount() {
    ReportGap away = new ReportGap(RUN.plusSeconds(20), RUN.plusSeconds(45));

    assertThat(look(policy(null, 30L, null), step(0, 10, 0), 64, away).nextLook())
        .isEqualTo(RUN.plusSeconds(65));
    assertThat(look(policy(null, 30L, null), step(0, 10, 0), 65, away).problem()).isNotNull();
    assertThat(look(policy(null, 30L, null), step(0, 50, 0), 79, away).nextLook())
        .as("the step was heard after it")
        .isEqualTo(RUN.plusSeconds(80));
    ReportGap partly = new ReportGap(RUN.minusSeconds(60), RUN.plusSeconds(15));
    assertThat(look(policy(null, 30L, null), step(0, 10, 0), 39, partly).nextLook())
        .isEqualTo(RUN.plusSeconds(45));
  }

  @Test
  void ofAStepThatIsOlderThanWhatWasHeardNothingIsKnown() {
    ReportGap away = new ReportGap(RUN.plusSeconds(20), RUN.plusSeconds(45), RUN.plusSeconds(12));

    assertThat(look(policy(null, 30L, null), step(0, 10, 0), 64, away).nextLook())
        .as("reports were not heard at 11 s")
        .isEqualTo(RUN.plusSeconds(75));
    assertThat(look(policy(null, 30L, null), step(0, 15, 0), 64, away).nextLook())
        .isEqualTo(RUN.plusSeconds(70));
  }

  @Test
  void whatWasFoundIsNotOverBecauseAnotherOperatorLooks() {
    Training known =
        step(0, 10, 0).with(new Training.Problem("NoProgress", "before", RUN.plusSeconds(40)));
    ReportGap away = new ReportGap(RUN.plusSeconds(45), RUN.plusSeconds(80));

    assertThat(look(policy(null, 30L, null), known, 50, away))
        .isEqualTo(new HangDetection(known.problem(), null));
    Training later =
        step(0, 60, 0).with(new Training.Problem("NoProgress", "before", RUN.plusSeconds(40)));
    assertThat(look(policy(null, 30L, null), later, 61, null))
        .isEqualTo(new HangDetection(null, RUN.plusSeconds(90)));
  }

  @Test
  void whatGoesOnKeepsItsBeginning() {
    Training known =
        step(0, 10, 0).with(new Training.Problem("NoProgress", "before", RUN.plusSeconds(40)));

    assertThat(
            Objects.requireNonNull(look(policy(null, 30L, null), known, 100, null).problem())
                .since())
        .isEqualTo(RUN.plusSeconds(40));
  }
}
