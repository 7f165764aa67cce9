package dev.tensorstack.training.kind.trainingjob.admission;

import static dev.tensorstack.training.kind.trainingjob.admission.RuleTester.fields;
import static dev.tensorstack.training.kind.trainingjob.admission.RuleTester.job;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.model.Violation;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ElasticC10dOnlyRuleTest {

  private final RuleTester rule = new RuleTester(new ElasticC10dOnlyRule());

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "torchrunConfig: {enabled: true}, elastic: {enabled: true, minReplicas: 1, maxReplicas: 4}",
        "torchrunConfig: {enabled: true, rdzvBackend: c10d}, elastic: {enabled: true, minReplicas: 1, maxReplicas: 4}",
        "torchrunConfig: {enabled: true, rdzvBackend: static}",
        "torchrunConfig: {enabled: true, rdzvBackend: static}, elastic: {enabled: false}",
        "elastic: {enabled: true}"
      })
  void whatCanWorkIsAccepted(String more) {
    assertThat(rule.creation(job(more))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "torchrunConfig: {enabled: true, rdzvBackend: static}, elastic: {enabled: true, minReplicas: 1, maxReplicas: 4} | spec.torchrunConfig.rdzvBackend | needs c10d, not static",
        "torchrunConfig: {enabled: true, rdzvBackend: etcd}, elastic: {enabled: true, minReplicas: 1, maxReplicas: 4} | spec.torchrunConfig.rdzvBackend | needs c10d, not etcd",
        "torchrunConfig: {enabled: true, rdzvBackend: etcd-v2}, elastic: {enabled: true, minReplicas: 1, maxReplicas: 4} | spec.torchrunConfig.rdzvBackend | needs c10d, not etcd-v2",
        "torchrunConfig: {enabled: true, rdzvBackend: mpi}, elastic: {enabled: true, minReplicas: 1, maxReplicas: 4} | spec.torchrunConfig.rdzvBackend | needs c10d, not mpi"
      })
  void whatCannotWorkIsRefusedWithItsFieldAndARemedy(String more, String field, String remedy) {
    List<Violation> violations = rule.creation(job(more));

    assertThat(fields(violations)).containsExactly(field);
    assertThat(violations.get(0).message()).contains(remedy);
  }
}
