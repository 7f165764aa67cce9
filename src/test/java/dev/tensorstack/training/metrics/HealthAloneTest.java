package dev.tensorstack.training.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the port without TLS still serves. */
class HealthAloneTest {

  @ParameterizedTest
  @CsvSource({
    "/q/health, true",
    "/q/health/live, true",
    "/q/health/ready, true",
    "/q/healthy, false",
    "/q/metrics, false",
    "/q/metrics/, false",
    "/metrics, false",
    "/q, false",
    "/, false"
  })
  void isWhatProbesAskFor(String path, boolean served) {
    assertThat(HealthAlone.isHealth(path)).isEqualTo(served);
  }
}
