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
        job(""), job("runPolicy: {}"), gang(""), gang("minAvailable: 1"), gang("minAvailable: 9"));
  }

  @Override
  Stream<Arguments> impossible() {
    return Stream.of("0", "-1")
        .map(
            pods ->
                Arguments.of(
                    gang("minAvailable: " + pods),
                    List.of(
                        "spec.runPolicy.schedulingPolicy.minAvailable: must be at least 1; leave it"
                            + " out for all pods")));
  }
}
