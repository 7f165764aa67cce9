package dev.tensorstack.training.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.model.CleanUpPolicy;
import dev.tensorstack.training.core.model.RestartScope;
import dev.tensorstack.training.core.model.RunPolicy;
import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DeadlineTest {

  private static RunPolicy seconds(@Nullable Long seconds) {
    return new RunPolicy(
        3, null, RestartScope.JOB, Set.of(), CleanUpPolicy.UNFINISHED, seconds, null);
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        "-,    2026-01-01T00:00:00Z, -",
        "60,   -,                    -",
        "1,    2026-01-01T00:00:00Z, 2026-01-01T00:00:01Z",
        "3600, 2026-01-01T00:00:00Z, 2026-01-01T01:00:00Z",
        "60,   2026-01-01T23:59:59Z, 2026-01-02T00:00:59Z",
      })
  void aDeadlineCountsFromTheStart(
      @Nullable Long seconds, @Nullable Instant start, @Nullable Instant deadline) {
    assertThat(Deadline.of(seconds(seconds), start)).isEqualTo(deadline);
  }

  @Test
  void theLongestDeadlineThatCanBeWrittenLiesFarAhead() {
    assertThat(Deadline.of(seconds(Long.MAX_VALUE), Instant.parse("2026-01-01T00:00:00.5Z")))
        .isAfter(Instant.parse("9999-01-01T00:00:00Z"));
  }
}
