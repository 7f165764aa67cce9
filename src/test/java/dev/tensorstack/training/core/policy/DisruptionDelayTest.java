package dev.tensorstack.training.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DisruptionDelayTest {

  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  private final DisruptionDelay delay = new DisruptionDelay(Duration.ofSeconds(30));

  @ParameterizedTest
  @CsvSource({"1, 0", "2, 0", "3, 0", "4, 1", "5, 2", "6, 4", "7, 8", "8, 16", "9, 30", "500, 30"})
  void theFirstThreeWaitForNothingThenTheDelayDoubles(int disruptions, long seconds) {
    assertThat(delay.before(disruptions)).hasSeconds(seconds);
  }

  @Test
  void aDisruptionCountsForFiveMinutes() {
    assertThat(delay.counts(NOW.minusSeconds(299), NOW)).isTrue();
    assertThat(delay.counts(NOW.minusSeconds(300), NOW)).isFalse();
  }

  @Test
  void oneThatLiesFarAheadWasSeenByAClockThatWasPutBack() {
    assertThat(delay.counts(NOW.plusSeconds(300), NOW)).isTrue();
    assertThat(delay.counts(NOW.plusSeconds(301), NOW)).isFalse();
  }
}
