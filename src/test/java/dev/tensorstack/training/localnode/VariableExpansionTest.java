package dev.tensorstack.training.localnode;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class VariableExpansionTest {
  @ParameterizedTest
  @CsvSource({
    "$(A), one",
    "x$(A)y$(B)z, xoneytwoz",
    "$(NONE), $(NONE)",
    "$$(A), $(A)",
    "$$$(A), $one",
    "$$$$(A), $$(A)",
    "$(A, $(A",
    "$A, $A",
    "${A}, ${A}",
    "end$, end$",
    "$(A)$, one$",
    "$(), $()",
    "$(A)$(A), oneone",
    "$((A)), $((A))",
  })
  void expandsAsKubernetesDoes(String text, String expanded) {
    assertThat(VariableExpansion.expand(text, Map.of("A", "one", "B", "two"))).isEqualTo(expanded);
  }

  @ParameterizedTest
  @CsvSource({"$(LOOP), $(LOOP)", "$(MONEY), $(A)"})
  void doesNotExpandWhatWasPutIn(String text, String expanded) {
    Map<String, String> variables = Map.of("LOOP", "$(LOOP)", "MONEY", "$(A)", "A", "one");
    assertThat(VariableExpansion.expand(text, variables)).isEqualTo(expanded);
  }
}
