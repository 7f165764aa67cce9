package dev.tensorstack.training.https;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The header that has the token. */
class BearerTokenTest {

  @ParameterizedTest
  @CsvSource({
    "Bearer abc, abc",
    "bearer abc, abc",
    "'Bearer  abc ', abc",
    "'Bearer ', ''",
    "Basic abc,",
    "Bearerabc,",
    "'',",
    ","
  })
  void isReadFromTheScheme(@Nullable String header, @Nullable String token) {
    assertThat(BearerToken.of(header)).isEqualTo(token);
  }
}
