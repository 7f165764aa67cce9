package dev.tensorstack.training.kind.trainingjob.admission;

import static dev.tensorstack.training.kind.trainingjob.admission.RuleTester.fields;
import static dev.tensorstack.training.kind.trainingjob.admission.RuleTester.job;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.model.Violation;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Limits that can be reached, and patterns that find something. */
class ProgressRuleTest {

  private final RuleTester rule = new RuleTester(new ProgressRule());

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "runPolicy: {progress: {}}",
        "runPolicy: {progress: {startSeconds: 1, stallSeconds: 1, failOnNaN: 1, onFailure: Restart}}",
        "runPolicy: {progress: {logPattern: '(?P<step>a)(?P<loss>b)(?P<percent>c)', failOnNaN: 1}}",
        "runPolicy: {progress: {logPattern: '(?<percent>a)', stallSeconds: 1}}"
      })
  void whatCanWorkIsAccepted(String more) {
    assertThat(rule.creation(job(more))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "startSeconds: 0 | startSeconds | at least 1 second",
        "stallSeconds: -1 | stallSeconds | at least 1 second",
        "failOnNaN: 0 | failOnNaN | at least 1",
        "onFailure: Restart | stallSeconds | needs a limit",
        "onFailure: restart | onFailure | use one of [Report, Restart]",
        "logPattern: '(?P<step>((a{99}){99}){99})' | logPattern | repeats too much",
        "logPattern: '(' | logPattern | no regular expression",
        "logPattern: 'step (.)' | logPattern | named groups",
        "logPattern: '(?P<step>.)', failOnNaN: 1 | logPattern | no group loss",
        "logPattern: '(?P<loss>.)', stallSeconds: 9 | logPattern | no group step or percent"
      })
  void whatCannotWorkIsRefusedWithItsFieldAndARemedy(String limits, String field, String remedy) {
    List<Violation> violations = rule.creation(job("runPolicy: {progress: {" + limits + "}}"));

    assertThat(fields(violations)).containsExactly("spec.runPolicy.progress." + field);
    assertThat(violations.get(0).message()).contains(remedy);
  }
}
