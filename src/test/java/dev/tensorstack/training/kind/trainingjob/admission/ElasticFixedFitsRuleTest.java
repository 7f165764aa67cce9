package dev.tensorstack.training.kind.trainingjob.admission;

import static dev.tensorstack.training.kind.trainingjob.admission.RuleTester.fields;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ElasticFixedFitsRuleTest {

  private final RuleTester rule = new RuleTester(new ElasticFixedFitsRule());

  private static String elastic(String types, String min) {
    return "{replicaSpecs: [%s], torchrunConfig: {enabled: true}, elastic: {enabled: true, %s}}"
        .formatted(types, min.isEmpty() ? "" : "minReplicas: " + min + ", maxReplicas: 9");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        // Nothing is fixed.
        "{type: a, replicas: 5} | 1 | ",
        "{type: a, replicas: 5}, {type: b, replicas: 5} | 1 | ",
        "{type: a, replicas: 5} | 0 | ",
        // The first entry scales, and keeps the master.
        "{type: a}, {type: b, replicas: 3, scalingWeight: 0} | 4 | ",
        "{type: a}, {type: b, replicas: 3, scalingWeight: 0} | 3 | and the master need 4 nodes",
        "{type: a}, {type: b, replicas: 0, scalingWeight: 0} | 1 | ",
        "{type: a}, {type: b, scalingWeight: 0} | 1 | and the master need 2 nodes",
        // The first entry is fixed: no other place for the master is needed.
        "{type: a, replicas: 3, scalingWeight: 0}, {type: b} | 3 | ",
        "{type: a, replicas: 3, scalingWeight: 0}, {type: b} | 2 | with scalingWeight 0 need 3",
        "{type: a, replicas: 3, scalingWeight: 0}, {type: b}, {type: c, scalingWeight: 0} | 3 | 4",
        // Nothing scales.
        "{type: a, scalingWeight: 0} | 9 | every type has scalingWeight 0",
        "{type: a, scalingWeight: 0}, {type: b, scalingWeight: 0} | 9 | every type has",
        // Huge numbers do not overflow.
        "{type: a}, {type: b, replicas: 2147483647, scalingWeight: 0} | 9 | need 2147483648 nodes",
        // Without a smallest size another rule speaks.
        "{type: a}, {type: b, replicas: 9, scalingWeight: 0} | '' | ",
      })
  void fixedTypesAndTheMasterFitIntoTheSmallestSize(String types, String min, String message) {
    var violations = rule.creation(elastic(types, min));

    if (message == null) {
      assertThat(violations).isEmpty();
    } else {
      assertThat(fields(violations)).containsExactly("spec.replicaSpecs");
      assertThat(violations.get(0).message()).contains(message);
    }
  }

  @Test
  void aJobThatIsNotElasticIsNotLookedAt() {
    String fixed = elastic("{type: a, scalingWeight: 0}", "1");

    assertThat(rule.creation(fixed.replace("elastic: {enabled: true", "elastic: {enabled: false")))
        .isEmpty();
    assertThat(rule.creation("{replicaSpecs: [{type: a, scalingWeight: 0}]}")).isEmpty();
  }

  @Test
  void aChangeOfWeightsIsChecked() {
    String types = "{type: a, scalingWeight: 1}, {type: b, replicas: 2, scalingWeight: 1}";

    assertThat(
            rule.change(
                elastic(types, "3"),
                elastic(types.replace("2, scalingWeight: 1", "2, scalingWeight: 0"), "3")))
        .isEmpty();
    assertThat(
            rule.change(
                elastic(types, "2"),
                elastic(types.replace("2, scalingWeight: 1", "2, scalingWeight: 0"), "2")))
        .hasSize(1);
  }
}
