package dev.tensorstack.training.kind.trainingjob.admission;

import static dev.tensorstack.training.kind.trainingjob.admission.RuleTester.fields;
import static dev.tensorstack.training.kind.trainingjob.admission.RuleTester.job;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.kind.trainingjob.v1beta1.ManagedBy;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ManagedByRuleTest {

  private final RuleTester rule = new RuleTester(new ManagedByRule());

  @Test
  void nobodyHasToBeNamed() {
    assertThat(rule.creation(job(""))).isEmpty();
    assertThat(rule.creation(job("managedBy: null"))).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        ManagedBy.THIS_OPERATOR,
        "kueue.x-k8s.io/multikueue",
        "a/b",
        "acme.io/team/v1~x_y!(z)",
        "example.com/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
      })
  void aDomainWithAPathIsAccepted(String value) {
    assertThat(value).hasSizeLessThanOrEqualTo(63);
    assertThat(rule.creation(job("managedBy: '" + value + "'"))).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "multikueue",
        "/multikueue",
        "example.com/",
        "Example.com/x",
        "-example.com/x",
        "example..com/x",
        "example.com./x",
        "example.com/a b",
        "example.com/ä",
        " example.com/x",
        "example.com/#",
      })
  void anythingElseIsRefusedWithARemedy(String value) {
    List<Violation> violations = rule.creation(job("managedBy: '" + value + "'"));

    assertThat(fields(violations)).containsExactly("spec.managedBy");
    assertThat(violations.get(0).message())
        .isEqualTo(
            "\"%s\" is no domain with a path: write one such as kueue.x-k8s.io/multikueue, or leave it out for this operator"
                .formatted(value));
  }

  @ParameterizedTest
  @ValueSource(ints = {64, 100, 100_000})
  void aLongNameIsRefusedWhateverElseItIs(int length) {
    String domain = "a.".repeat(length).substring(0, length - 3) + "a/x";

    assertThat(rule.creation(job("managedBy: " + domain)))
        .singleElement()
        .satisfies(
            violation ->
                assertThat(violation.message())
                    .contains(
                        "has %d characters, %d more than the 63".formatted(length, length - 63),
                        "shorter name"));
  }
}
