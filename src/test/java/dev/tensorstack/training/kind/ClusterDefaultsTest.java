package dev.tensorstack.training.kind;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClusterDefaultsTest {

  @ParameterizedTest(name = "given {0}, new {1}, stored {2}, setting {3}")
  @CsvSource({
    // What the user says counts.
    "All, true,, None, All",
    "All, false, None, None, All",
    // A new job gets the setting, if there is one.
    ", true,, None, None",
    ", true,,,",
    // A change keeps what the job was given, and gives nothing that it was not.
    ", false, None, None, None",
    ", false, All, None,",
    ", false,, None,",
    ", false, None,,",
  })
  void theUserFirstThenTheSettingThatAJobWasCreatedWith(
      @Nullable String given,
      boolean isNew,
      @Nullable String stored,
      @Nullable String setting,
      @Nullable String expected) {
    assertThat(ClusterDefaults.value(given, isNew, stored, setting)).isEqualTo(expected);
  }
}
