package dev.tensorstack.training.kind.pytorchjob.admission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.kind.Rule;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJobSpec;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The test of a rule: specs that it accepts, and what it says of others. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class RuleTable {

  final Rule<PyTorchJobSpec> rule;

  RuleTable(Rule<PyTorchJobSpec> rule) {
    this.rule = rule;
  }

  /** Specs that are accepted. */
  abstract List<String> possible();

  /** Specs that are refused, each with all that is said of it. */
  abstract Stream<Arguments> impossible();

  @ParameterizedTest
  @MethodSource("possible")
  void whatCanWorkIsAccepted(String spec) {
    assertThat(Jobs.refused(rule, spec)).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("impossible")
  void whatCannotWorkIsRefusedWithItsFieldAndARemedy(String spec, List<String> expected) {
    assertThat(Jobs.refused(rule, spec)).isEqualTo(expected);
  }
}
