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

/** Each with its own message. */
class ElasticBoundsRuleTest {

  private final RuleTester rule = new RuleTester(new ElasticBoundsRule());

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "torchrunConfig: {enabled: true}, elastic: {enabled: true, minReplicas: 1, maxReplicas: 1}",
        "torchrunConfig: {enabled: true}, elastic: {enabled: true, minReplicas: 2, maxReplicas: 10000}",
        "elastic: {enabled: false, minReplicas: 5, maxReplicas: 1}",
        "elastic: {}"
      })
  void whatCanWorkIsAccepted(String more) {
    assertThat(rule.creation(job(more))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "torchrunConfig: {enabled: true}, elastic: {enabled: true, maxReplicas: 4} | spec.elastic.minReplicas | runs with at least this many nodes",
        "torchrunConfig: {enabled: true}, elastic: {enabled: true, minReplicas: 4} | spec.elastic.maxReplicas | never has more nodes",
        "torchrunConfig: {enabled: true}, elastic: {enabled: true, minReplicas: 5, maxReplicas: 4} | spec.elastic.minReplicas | write the smaller number here",
        "torchrunConfig: {enabled: true}, elastic: {enabled: true, minReplicas: 0, maxReplicas: 4} | spec.elastic.minReplicas | must be at least 1",
        "torchrunConfig: {enabled: true}, elastic: {enabled: true, minReplicas: -1, maxReplicas: 4} | spec.elastic.minReplicas | must be at least 1",
        "torchrunConfig: {enabled: true}, elastic: {enabled: true, minReplicas: 1, maxReplicas: 0} | spec.elastic.maxReplicas | must be at least 1",
        "torchrunConfig: {enabled: true}, elastic: {enabled: true, minReplicas: 1, maxReplicas: 10001} | spec.elastic.maxReplicas | must be at most 10000, because"
      })
  void whatCannotWorkIsRefusedWithItsFieldAndARemedy(String more, String field, String remedy) {
    List<Violation> violations = rule.creation(job(more));

    assertThat(fields(violations)).containsExactly(field);
    assertThat(violations.get(0).message()).contains(remedy);
  }

  @Test
  void bothBoundsAreReported() {
    String elastic = "torchrunConfig: {enabled: true}, elastic: {enabled: true%s}";

    assertThat(fields(rule.creation(job(elastic.formatted("")))))
        .containsExactly("spec.elastic.minReplicas", "spec.elastic.maxReplicas");
    assertThat(fields(rule.creation(job(elastic.formatted(", minReplicas: 0, maxReplicas: 0")))))
        .containsExactly("spec.elastic.minReplicas", "spec.elastic.maxReplicas");
  }
}
