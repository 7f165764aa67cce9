package dev.tensorstack.training.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The format that a request gets. */
class ExpositionFormatTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "text/plain | text/plain",
        "text/html,*/* | text/plain",
        "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;q=0.3 | text/plain",
        "application/openmetrics-text;version=1.0.0 | application/openmetrics-text",
        "*/* | application/openmetrics-text",
        " | application/openmetrics-text"
      })
  void isTextForWhoTakesIt(@Nullable String accept, String format) {
    assertThat(ExpositionFormat.of(accept)).startsWith(format + ";");
  }
}
