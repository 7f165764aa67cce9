package dev.tensorstack.training.admission;

import dev.tensorstack.training.api.v1beta1.Elastic;
import java.util.List;

/** The wished size of an elastic job lies between its bounds. */
final class ElasticExpectedInRangeRule implements Rule {

  @Override
  public String id() {
    return "elastic-expected-in-range";
  }

  @Override
  public String refuses() {
    return "expectedReplicas outside minReplicas to maxReplicas";
  }

  @Override
  public List<Violation> check(Subject subject) {
    Elastic elastic = subject.spec().elastic();
    if (elastic == null
        || !elastic.on()
        || elastic.minReplicas() == null
        || elastic.maxReplicas() == null
        || elastic.expectedReplicas() == null
        || elastic.minReplicas() > elastic.maxReplicas()) {
      return List.of();
    }
    int expected = elastic.expectedReplicas();
    if (expected >= elastic.minReplicas() && expected <= elastic.maxReplicas()) {
      return List.of();
    }
    return List.of(
        new Violation(
            id(),
            "spec.elastic.expectedReplicas",
            Violation.Reason.FieldValueInvalid,
            expected
                + " is outside minReplicas to maxReplicas: write a number from "
                + elastic.minReplicas()
                + " to "
                + elastic.maxReplicas()));
  }
}
