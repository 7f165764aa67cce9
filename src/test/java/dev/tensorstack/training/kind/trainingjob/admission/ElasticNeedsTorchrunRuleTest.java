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

class ElasticNeedsTorchrunRuleTest {

  private final RuleTester rule = new RuleTester(new ElasticNeedsTorchrunRule());

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "torchrunConfig: {enabled: true}",
        "torchrunConfig: {enabled: true}, elastic: {enabled: true, minReplicas: 1, maxReplicas: 4}",
        "elastic: {enabled: false}",
        "elastic: {}",
        "torchrunConfig: {enabled: false}, elastic: {enabled: false, minReplicas: 1}"
      })
  void whatCanWorkIsAccepted(String more) {
    assertThat(rule.creation(job(more))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "elastic: {enabled: true, minReplicas: 1, maxReplicas: 4} | spec.torchrunConfig.enabled | set torchrunConfig.enabled to true",
        "torchrunConfig: {enabled: false}, elastic: {enabled: true} | spec.torchrunConfig.enabled | or elastic.enabled to false",
        "torchrunConfig: {}, elastic: {enabled: true} | spec.torchrunConfig.enabled | set torchrunConfig.enabled to true"
      })
  void whatCannotWorkIsRefusedWithItsFieldAndARemedy(String more, String field, String remedy) {
    List<Violation> violations = rule.creation(job(more));

    assertThat(fields(violations)).containsExactly(field);
    assertThat(violations.get(0).message()).contains(remedy);
  }

  @Test
  void enabledWinsOverTheOldSpelling() {
    assertThat(
            rule.creation(
                job("torchrunConfig: {enable: true, enabled: false}, elastic: {enable: true}")))
        .hasSize(1);
    assertThat(rule.creation(job("elastic: {enable: true, enabled: false}"))).isEmpty();
  }

  @Test
  void switchingTorchrunOffUnderAnElasticJobIsRefused() {
    String bounds = "minReplicas: 1, maxReplicas: 4}";

    assertThat(
            fields(
                rule.change(
                    job("torchrunConfig: {enabled: true}, elastic: {enabled: true, " + bounds),
                    job("elastic: {enabled: true, " + bounds))))
        .containsExactly("spec.torchrunConfig.enabled");
  }
}
