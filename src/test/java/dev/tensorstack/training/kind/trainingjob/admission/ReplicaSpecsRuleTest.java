package dev.tensorstack.training.kind.trainingjob.admission;

import static dev.tensorstack.training.kind.trainingjob.admission.RuleTester.fields;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.model.Violation;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ReplicaSpecsRuleTest {

  private final RuleTester rule = new RuleTester(new ReplicaSpecsRule());

  private static String types(String... types) {
    return "{replicaSpecs: [" + String.join(", ", types) + "]}";
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{type: worker}",
        "{type: w, replicas: 1}",
        "{type: '0', replicas: 10000}",
        "{type: a-b-1}, {type: b, replicas: 0}",
        "{type: a}, {type: b, scalingWeight: 0}",
        "{type: a, restartPolicy: Always}, {type: b, restartPolicy: ExitCode}",
      })
  void whatCanWorkIsAccepted(String types) {
    assertThat(rule.creation(types(types))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{type: a, replicas: 0} | [0].replicas | must be at least 1: index 0",
        "{type: a}, {type: b, replicas: -1} | [1].replicas | write 0 or more",
        "{type: a, replicas: 10001} | [0].replicas | must be at most 10000, because a job's state is kept",
        "{type: a, replicas: 6000}, {type: b, replicas: 4001} | `` | 10001 replicas together",
        "{type: a}, {type: b, scalingWeight: -1} | [1].scalingWeight | write 0 for a type that",
        "{type: a}, {type: a} | [1].type | give each replicaSpec its own type",
        "{type: Worker} | [0].type | use lower case letters",
        "{type: a.b} | [0].type | use lower case letters",
        "{type: a-} | [0].type | use lower case letters",
        "{type: -a} | [0].type | use lower case letters",
        "{type: ''} | [0].type | use lower case letters",
        "{type: ä} | [0].type | use lower case letters",
        "{replicas: 1} | [0].type | give the type a name",
        "{type: a}, null | [1].type | give the type a name",
        "{type: a, restartPolicy: never} | [0].restartPolicy | [Always, OnFailure, Never, ExitCode]",
      })
  void whatCannotWorkIsRefusedWithItsFieldAndARemedy(String types, String field, String remedy) {
    List<Violation> violations = rule.creation(types(types));

    assertThat(fields(violations)).containsExactly("spec.replicaSpecs" + field);
    assertThat(violations.get(0).message()).contains(remedy);
  }

  @ParameterizedTest
  @ValueSource(strings = {"{}", "{replicaSpecs: []}", "{replicaSpecs: null}"})
  void aJobNeedsAType(String spec) {
    assertThat(fields(rule.creation(spec))).containsExactly("spec.replicaSpecs");
  }

  @Test
  void aNegativeFirstEntryBreaksTwoRules() {
    assertThat(rule.creation(types("{type: a, replicas: -1}")))
        .extracting(Violation::message)
        .containsExactly(
            "must not be negative: write 0 or more",
            "must be at least 1: index 0 of the first replicaSpec is the master");
  }

  @Test
  void aTypeOf63CharactersIsALabelAndOneOf64IsNot() {
    assertThat(rule.creation(types("{type: " + "a".repeat(63) + "}"))).isEmpty();
    assertThat(rule.creation(types("{type: " + "a".repeat(64) + "}"))).hasSize(1);
  }

  /** More than an int holds. */
  @Test
  void aSumThatOverflowsIsRefused() {
    String most = ", replicas: 2147483647}";
    assertThat(
            fields(
                rule.creation(
                    types("{type: a" + most, "{type: b" + most, "{type: c, replicas: 2}"))))
        .containsExactly("spec.replicaSpecs[0].replicas", "spec.replicaSpecs[1].replicas");
  }

  @Test
  void sixtyFourTypesAreAcceptedAndNoMore() {
    String[] types =
        IntStream.rangeClosed(0, 64).mapToObj(i -> "{type: t" + i + "}").toArray(String[]::new);
    assertThat(rule.creation(types(Arrays.copyOf(types, 64)))).isEmpty();
    assertThat(rule.creation(types(types)))
        .singleElement()
        .satisfies(
            violation -> {
              assertThat(violation.field()).isEqualTo("spec.replicaSpecs");
              assertThat(violation.message()).contains("65 types are more than 64", "one type");
            });
  }

  @Test
  void allMistakesAreReported() {
    assertThat(
            fields(
                rule.creation(
                    types("{type: A, replicas: 0, restartPolicy: x}", "{scalingWeight: -1}"))))
        .hasSize(5);
  }

  @Test
  void aChangeIsCheckedAsACreation() {
    assertThat(
            fields(rule.change(types("{type: a}"), types("{type: a}", "{type: b, replicas: -1}"))))
        .containsExactly("spec.replicaSpecs[1].replicas");
  }
}
