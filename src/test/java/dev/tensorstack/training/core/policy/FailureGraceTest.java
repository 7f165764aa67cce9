package dev.tensorstack.training.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.model.FailureCause;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FailureGraceTest {

  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
  private static final Duration GRACE = Duration.ofSeconds(10);

  @ParameterizedTest(name = "{0} s ago, {1}, others run: {2}")
  @CsvSource({
    "0,   Application, true,  10",
    "4,   Application, true,  6",
    "10,  Application, true,",
    "4,   Application, false,",
    "4,   Disruption,  true,",
    "-11, Application, true,",
    ",    Application, true,"
  })
  void theDecisionWaitsWhileOthersMayEndByThemselves(
      @Nullable Integer ago, FailureCause cause, boolean othersRun, @Nullable Integer left) {
    assertThat(
            FailureGrace.until(
                ago == null ? null : NOW.minusSeconds(ago), cause, othersRun, GRACE, NOW))
        .isEqualTo(left == null ? null : NOW.plusSeconds(left));
  }
}
