package dev.tensorstack.training.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RestartDelayTest {

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "1, 0",
    "2, 10",
    "3, 20",
    "4, 40",
    "5, 80",
    "6, 160",
    "7, 300",
    "8, 300",
    "999, 300"
  })
  void theDelayDoublesUpToItsLimit(int restart, int seconds) {
    RestartDelay delay = new RestartDelay(Duration.ofSeconds(10), Duration.ofMinutes(5));

    assertThat(delay.before(restart)).isEqualTo(Duration.ofSeconds(seconds));
  }
}
