package dev.tensorstack.training.crd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.kind.Rule;
import dev.tensorstack.training.kind.trainingjob.admission.Rules;
import dev.tensorstack.training.reference.CrdManifest;
import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class CrdRulesTest {

  /** {@code kubectl apply} stores the file in an annotation, and there is room for 256 KiB. */
  private static final int LARGEST_FILE = 200_000;

  static Iterable<CelRule> rules() {
    return CrdRules.rules();
  }

  static Iterable<RuleInCrd> rulesInCrd() {
    return CrdRules.ALL;
  }

  @Test
  void eachRuleOfAdmissionIsInTheCrdOrSaysWhyNot() {
    assertThat(CrdRules.ALL)
        .extracting(RuleInCrd::id)
        .containsExactlyElementsOf(Rules.ALL.stream().map(Rule::id).toList());
  }

  @ParameterizedTest
  @MethodSource("rulesInCrd")
  void whatIsNotInTheCrdIsSaid(RuleInCrd rule) {
    assertThat(rule.rules()).allMatch(cel -> cel.id().equals(rule.id()));
    assertThat(rule.rules().isEmpty() && rule.otherwise().isEmpty()).isFalse();
  }

  @ParameterizedTest
  @MethodSource("rules")
  void itsWordsAreThoseOfTheRuleOfAdmission(CelRule rule) {
    assertThat(rule.toSchema())
        .isNotEmpty()
        .allSatisfy(
            schema -> {
              assertThat(schema.getReason()).isEqualTo(CelRule.reason(rule.violation().reason()));
              if (schema.getMessageExpression() == null) {
                assertThat(schema.getMessage()).isEqualTo(rule.violation().message());
              }
            });
  }

  @Test
  void kubectlApplyHasRoomForTheFile() throws IOException {
    assertThat(Files.size(CrdManifest.FILE)).isLessThan(LARGEST_FILE);
  }
}
