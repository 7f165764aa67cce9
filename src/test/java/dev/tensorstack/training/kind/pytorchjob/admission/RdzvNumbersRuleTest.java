package dev.tensorstack.training.kind.pytorchjob.admission;

import static dev.tensorstack.training.kind.pytorchjob.admission.Jobs.job;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;

class RdzvNumbersRuleTest extends RuleTable {

  RdzvNumbersRuleTest() {
    super(new RdzvNumbersRule());
  }

  @Override
  List<String> possible() {
    return List.of(
        job(""),
        job("elasticPolicy: {}"),
        job("elasticPolicy: {rdzvPort: 1, maxRestarts: 0}"),
        job("elasticPolicy: {rdzvPort: 65535, maxRestarts: 100}"));
  }

  @Override
  Stream<Arguments> impossible() {
    return Stream.of(
        Arguments.of(
            job("elasticPolicy: {rdzvPort: -1, maxRestarts: -1}"),
            List.of(
                "spec.elasticPolicy.rdzvPort: -1 is no port: write 1 to 65535, or leave it out for"
                    + " that of the workers' container",
                "spec.elasticPolicy.maxRestarts: must not be negative: write 0 or more")),
        Arguments.of(
            job("elasticPolicy: {rdzvPort: 65536}"),
            List.of(
                "spec.elasticPolicy.rdzvPort: 65536 is no port: write 1 to 65535, or leave it out"
                    + " for that of the workers' container")));
  }
}
