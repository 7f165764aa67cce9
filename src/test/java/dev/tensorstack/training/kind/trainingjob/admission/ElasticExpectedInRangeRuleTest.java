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

class ElasticExpectedInRangeRuleTest {

  private final RuleTester rule = new RuleTester(new ElasticExpectedInRangeRule());

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "torchrunConfig: {enabled: true}, elastic: {enabled: true, minReplicas: 2, maxReplicas: 4}",
        "torchrunConfig: {enabled: true}, elastic: {enabled: true, minReplicas: 2, maxReplicas: 4, expectedReplicas: 2}",
        "torchrunConfig: {enabled: true}, elastic: {enabled: true, minReplicas: 2, maxReplicas: 4, expectedReplicas: 4}",
        "elastic: {enabled: false, minReplicas: 2, maxReplicas: 4, expectedReplicas: 9}",
        "torchrunConfig: {enabled: true}, elastic: {enabled: true, minReplicas: 5, maxReplicas: 4, expectedReplicas: 9}",
        "torchrunConfig: {enabled: true}, elastic: {enabled: true, expectedReplicas: 9}"
      })
  void whatCanWorkIsAccepted(String more) {
    assertThat(rule.creation(job(more))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "torchrunConfig: {enabled: true}, elastic: {enabled: true, minReplicas: 2, maxReplicas: 4, expectedReplicas: 5} | spec.elastic.expectedReplicas | write a number from 2 to 4",
        "torchrunConfig: {enabled: true}, elastic: {enabled: true, minReplicas: 2, maxReplicas: 4, expectedReplicas: 1} | spec.elastic.expectedReplicas | write a number from 2 to 4",
        "torchrunConfig: {enabled: true}, elastic: {enabled: true, minReplicas: 2, maxReplicas: 4, expectedReplicas: 0} | spec.elastic.expectedReplicas | write a number from 2 to 4"
      })
  void whatCannotWorkIsRefusedWithItsFieldAndARemedy(String more, String field, String remedy) {
    List<Violation> violations = rule.creation(job(more));

    assertThat(fields(violations)).containsExactly(field);
    assertThat(violations.get(0).message()).contains(remedy);
  }

  @Test
  void aChangeOfTheSizeStaysInTheRange() {
    String before =
        job(
            "torchrunConfig: {enabled: true},"
                + " elastic: {enabled: true, minReplicas: 2, maxReplicas: 4, expectedReplicas: 2}");

    assertThat(rule.change(before, before.replace("expectedReplicas: 2", "expectedReplicas: 3")))
        .isEmpty();
    assertThat(
            fields(
                rule.change(before, before.replace("expectedReplicas: 2", "expectedReplicas: 5"))))
        .containsExactly("spec.elastic.expectedReplicas");
  }

  /** As kubectl scale and autoscalers do it. */
  @ParameterizedTest
  @ValueSource(
      strings = {"", "elastic: {}", "elastic: {enabled: false, minReplicas: 2, maxReplicas: 4}"})
  void aJobThatIsNotElasticIsNotScaled(String more) {
    String scaled = more.isEmpty() ? "elastic: {}" : more;

    assertThat(
            rule.change(
                job(more),
                job(scaled.replaceFirst("[}]$", ", expectedReplicas: 3}").replace("{,", "{"))))
        .singleElement()
        .extracting(Violation::describe)
        .asString()
        .startsWith("spec.elastic.expectedReplicas: ")
        .contains("elastic.enabled");
  }

  /** What is stored for `scale` to read, by the webhook, the operator or a user, is no scaling. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "elastic: {expectedReplicas: 4}",
        "elastic: {enabled: false, expectedReplicas: 4}",
        "elastic: {enabled: false, minReplicas: 5, maxReplicas: 9, expectedReplicas: 4}"
      })
  void theNumberOfPodsThatAJobHasMayBeWritten(String more) {
    String wrong = more.replace("expectedReplicas: 4", "expectedReplicas: 9");

    assertThat(rule.change(job(""), job(more))).isEmpty();
    assertThat(rule.change(job(wrong), job(more))).isEmpty();
    assertThat(fields(rule.change(job(more), job(wrong))))
        .containsExactly("spec.elastic.expectedReplicas");
  }

  @Test
  void aJobIsRefusedOnceWhenItsElasticBlockIsTakenOut() {
    String elastic =
        job(
            "torchrunConfig: {enabled: true},"
                + " elastic: {enabled: true, minReplicas: 2, maxReplicas: 8, expectedReplicas: 6}");

    assertThat(rule.change(elastic, job("torchrunConfig: {enabled: true}"))).isEmpty();
  }
}
