package dev.tensorstack.training.admission;

import static dev.tensorstack.training.admission.RuleTester.fields;
import static dev.tensorstack.training.admission.RuleTester.job;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.api.v1beta1.Elastic;
import dev.tensorstack.training.api.v1beta1.PyTorchTrainingJobSpec;
import dev.tensorstack.training.world.World;
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

  /** As the API server stores it after {@code kubectl scale}. */
  private List<Violation> scaled(String before, int replicas) {
    PyTorchTrainingJobSpec old = World.spec(before);
    Elastic elastic =
        old.elastic() == null
            ? new Elastic(null, null, null, null, replicas, null)
            : new Elastic(
                old.elastic().enabled(),
                null,
                old.elastic().minReplicas(),
                old.elastic().maxReplicas(),
                replicas,
                null);
    return new ElasticExpectedInRangeRule()
        .check(
            new Subject(
                "mnist",
                new PyTorchTrainingJobSpec(
                    old.replicaSpecs(), old.torchrunConfig(), elastic, null, null, null, null),
                old));
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "2, 0", "4, 0", "5, 1", "0, 1"})
  void scalingStaysInTheRange(int replicas, int violations) {
    String elastic =
        job(
            "torchrunConfig: {enable: true},"
                + " elastic: {enable: true, minReplicas: 2, maxReplicas: 4}");

    assertThat(scaled(elastic, replicas)).hasSize(violations);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "elastic: {enabled: false, minReplicas: 2, maxReplicas: 4}"})
  void aJobThatIsNotElasticIsNotScaled(String more) {
    assertThat(scaled(job(more), 3))
        .singleElement()
        .extracting(Violation::message)
        .asString()
        .contains("elastic.enabled");
  }
}
