package dev.tensorstack.training.kind.pytorchjob.admission;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;

class DeprecatedNprocPerNodeWarningTest extends WarningTable {

  DeprecatedNprocPerNodeWarningTest() {
    super(new DeprecatedNprocPerNodeWarning());
  }

  @Override
  Stream<Arguments> jobs() {
    return Stream.of(
        Arguments.of("{}", List.of()),
        Arguments.of("{elasticPolicy: {}}", List.of()),
        Arguments.of(Jobs.job("nprocPerNode: auto"), List.of()),
        Arguments.of(
            Jobs.job("elasticPolicy: {nProcPerNode: 4}"),
            List.of(
                "spec.elasticPolicy.nProcPerNode: is deprecated: write spec.nprocPerNode: \"4\"")));
  }
}
