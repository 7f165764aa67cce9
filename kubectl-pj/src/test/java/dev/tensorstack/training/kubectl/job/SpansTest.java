package dev.tensorstack.training.kubectl.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SpansTest {

  @ParameterizedTest
  @CsvSource({
    "-5, 0 s, 0s",
    "45, 45 s, 45s",
    "90, 1 min 30 s, 1m30s",
    "120, 2 min, 2m",
    "754, 12 min, 12m",
    "11100, 3 h 5 min, 3h5m",
    "187200, 2 d 4 h, 2d4h"
  })
  void spansAreReadWithTwoUnits(long seconds, String words, String column) {
    assertThat(Spans.inWords(Duration.ofSeconds(seconds))).isEqualTo(words);
    assertThat(Spans.inColumn(Duration.ofSeconds(seconds))).isEqualTo(column);
  }

  @ParameterizedTest
  @CsvSource({"90s, 90", "10m, 600", "1h30m, 5400", "2d, 172800", "0s, 0"})
  void spansAreWrittenAsForKubectl(String text, long seconds) {
    assertThat(Spans.parse(text)).isEqualTo(Duration.ofSeconds(seconds));
  }

  @ParameterizedTest
  @CsvSource({"10", "m", "10m5", "-3s", "1.5h"})
  void anythingElseIsRefused(String text) {
    assertThatThrownBy(() -> Spans.parse(text)).hasMessageContaining("is no span of time");
  }

  @Test
  void whatIsNotKnownIsADash() {
    assertThat(Spans.inColumn(null)).isEqualTo("-");
  }
}
