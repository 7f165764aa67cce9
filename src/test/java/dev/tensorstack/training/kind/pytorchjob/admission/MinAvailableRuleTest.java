package dev.tensorstack.training.kind.pytorchjob.admission;

import static dev.tensorstack.training.kind.pytorchjob.admission.Jobs.job;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;

class MinAvailableRuleTest extends RuleTable {

  MinAvailableRuleTest() {
    super(new MinAvailableRule());
  }

  private static String gang(String members) {
    return job("runPolicy: {schedulingPolicy: {" + members + "}}");
  }

  @Override
  List<String> possible() {
    return List.of(
        job(""),
        job("runPolicy: {}"),
        gang(""),
        gang("minAvailable: 0"),
        gang("minAvailable: 1"),
        gang("minAvailable: 9"));
  }

  @Override
  Stream<Arguments> impossible() {
    return Stream.of("-1", "-7")
        .map(
            pods ->
                Arguments.of(
                    gang("minAvailable: " + pods),
                    List.of(
                        "spec.runPolicy.schedulingPolicy.minAvailable: must not be negative; leave it"
                            + " out for all pods")));
  }
}
