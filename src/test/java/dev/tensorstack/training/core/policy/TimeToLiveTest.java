package dev.tensorstack.training.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.model.CleanUpPolicy;
import dev.tensorstack.training.core.model.RestartScope;
import dev.tensorstack.training.core.model.RunPolicy;
import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TimeToLiveTest {

  private static final Instant END = Instant.parse("2026-01-01T00:00:00Z");

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        "-,          -",
        "0,          2026-01-01T00:00:00Z",
        "1,          2026-01-01T00:00:01Z",
        "86400,      2026-01-02T00:00:00Z",
        "2147483647, 2094-01-19T03:14:07Z",
      })
  void aJobLivesThisLongAfterItsEnd(@Nullable Integer seconds, @Nullable Instant until) {
    RunPolicy policy =
        new RunPolicy(3, null, RestartScope.JOB, Set.of(), CleanUpPolicy.UNFINISHED, null, seconds);

    assertThat(TimeToLive.end(policy, END)).isEqualTo(until);
  }
}
