package dev.tensorstack.training.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ScaleDownStabilizationTest {

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        "-,                    -",
        "2026-01-01T11:59:30Z, -",
        "2026-01-01T11:59:31Z, 2026-01-01T12:00:01Z",
        "2026-01-01T12:00:00Z, 2026-01-01T12:00:30Z",
        "2026-01-01T12:00:30Z, 2026-01-01T12:01:00Z",
        "2026-01-01T13:00:00Z, -",
      })
  void nodesAreLeftAloneForHalfAMinute(@Nullable Instant shrunkAt, @Nullable Instant until) {
    assertThat(ScaleDownStabilization.until(shrunkAt, Instant.parse("2026-01-01T12:00:00Z")))
        .isEqualTo(until);
  }
}
