package dev.tensorstack.training.kind.pytorchjob.admission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.kind.Warning;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJobSpec;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The test of a warning: what it says of specs. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class WarningTable {

  private final Warning<PyTorchJobSpec> warning;

  WarningTable(Warning<PyTorchJobSpec> warning) {
    this.warning = warning;
  }

  /** Specs, each with all that is said of it. */
  abstract Stream<Arguments> jobs();

  @ParameterizedTest
  @MethodSource("jobs")
  void isGivenWhereThereIsReason(String spec, List<String> expected) {
    assertThat(Jobs.warned(warning, spec)).isEqualTo(expected);
  }
}
