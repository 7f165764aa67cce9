package dev.tensorstack.training.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How long an expression is with its repetitions written out. */
class PatternSizeTest {

  private static final long ENOUGH = 1_000_000;

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '~',
      quoteCharacter = '"',
      value = {
        "abc~3",
        "a{5}~5",
        "a{2,5}~5",
        "a{5,}~5",
        "a{9}b{9}~18",
        "ab{3}~4",
        "(a){3}~9",
        "(ab){3}c~13",
        "\\d{4}-\\d{2}~7",
        "[0-9]{4}~4",
        "[^]}]{4}~4",
        "[]x]{4}~4",
        "[[:alpha:]]{4}~4",
        "[\\]]{4}~4",
        "\\p{Greek}{4}~4",
        "\\x{1F600}{4}~4"
      })
  void aRepetitionCountsAsOftenAsItIsWritten(String text, long size) {
    assertThat(PatternSize.of(text, ENOUGH)).isEqualTo(size);
  }

  @Test
  void repetitionsWithinRepetitionsAreMultiplied() {
    assertThat(PatternSize.of("(a{9}){9}", ENOUGH)).isEqualTo((9 + 2) * 9);
    assertThat(PatternSize.of("((a{9}){9}){9}", ENOUGH)).isEqualTo(((9 + 2) * 9 + 2) * 9);
  }

  @Test
  void whatIsQuotedRepeatsNothingButItsLastCharacter() {
    assertThat(PatternSize.of("\\Qa{9}\\E", ENOUGH)).isLessThan(10);
    assertThat(PatternSize.of("\\Qab\\E{9}", ENOUGH)).isLessThan(15);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"{3}", "a{", "a{x}", "a{1,2,3}", "(a{2}", "a)", "[a", "\\", "\\Qa", "{,5}"})
  void whatIsNoExpressionHasASizeAsWell(String text) {
    assertThat(PatternSize.of(text, ENOUGH)).isBetween(0L, 20L);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a{999999999}",
        "((a{999999999}){999999999}){999999999}",
        "(((((((a{99}){99}){99}){99}){99}){99}){99}){99}"
      })
  void aSizeBeyondWhatMattersDoesNotOverflow(String text) {
    assertThat(PatternSize.of(text, ENOUGH)).isGreaterThan(ENOUGH);
  }
}
