package dev.tensorstack.training.kind.trainingjob.admission;

import static dev.tensorstack.training.kind.trainingjob.admission.RuleTester.fields;
import static dev.tensorstack.training.kind.trainingjob.admission.RuleTester.job;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.model.Violation;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RunPolicyRuleTest {

  private final RuleTester rule = new RuleTester(new RunPolicyRule());

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "runPolicy: {}",
        "runPolicy: {activeDeadlineSeconds: 1, backoffLimit: 0, ttlSecondsAfterFinished: 0, cleanUpPolicy: None, restartScope: Job, retryableExitCodes: [1, 255]}",
        "runPolicy: {retryableExitCodes: []}",
        "runPolicy: {backoffLimit: 100, backoffWindowSeconds: 1}",
        "runPolicy: {backoffLimit: 101}",
        "runPolicy: {activeDeadlineSeconds: 9223372036854775807}"
      })
  void whatCanWorkIsAccepted(String more) {
    assertThat(rule.creation(job(more))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "runPolicy: {activeDeadlineSeconds: 0} | spec.runPolicy.activeDeadlineSeconds | leave it out for no deadline",
        "runPolicy: {activeDeadlineSeconds: -1} | spec.runPolicy.activeDeadlineSeconds | must be at least 1 second",
        "runPolicy: {backoffLimit: -1} | spec.runPolicy.backoffLimit | write 0 or more",
        "runPolicy: {backoffWindowSeconds: 0} | spec.runPolicy.backoffWindowSeconds | leave it out for a limit of the job's whole life",
        "runPolicy: {backoffLimit: 101, backoffWindowSeconds: 60} | spec.runPolicy.backoffLimit | at most 100",
        "runPolicy: {ttlSecondsAfterFinished: -1} | spec.runPolicy.ttlSecondsAfterFinished | write 0 or more",
        "runPolicy: {cleanUpPolicy: Some} | spec.runPolicy.cleanUpPolicy | use one of [All, Unfinished, None]",
        "runPolicy: {restartScope: job} | spec.runPolicy.restartScope | use one of [Job, Replica]",
        "runPolicy: {retryableExitCodes: [1, 0]} | spec.runPolicy.retryableExitCodes[1] | use 1 to 255",
        "runPolicy: {retryableExitCodes: [256]} | spec.runPolicy.retryableExitCodes[0] | use 1 to 255",
        "runPolicy: {retryableExitCodes: [null]} | spec.runPolicy.retryableExitCodes[0] | use 1 to 255"
      })
  void whatCannotWorkIsRefusedWithItsFieldAndARemedy(String more, String field, String remedy) {
    List<Violation> violations = rule.creation(job(more));

    assertThat(fields(violations)).containsExactly(field);
    assertThat(violations.get(0).message()).contains(remedy);
  }

  @Test
  void allMistakesAreReported() {
    assertThat(
            rule.creation(
                job(
                    "runPolicy: {activeDeadlineSeconds: 0, backoffLimit: -1,"
                        + " cleanUpPolicy: x, retryableExitCodes: [0, 300]}")))
        .hasSize(5);
  }

  @Test
  void aChangeIsCheckedAsACreation() {
    assertThat(fields(rule.change(job(""), job("runPolicy: {backoffLimit: -1}"))))
        .containsExactly("spec.runPolicy.backoffLimit");
  }
}
