package dev.tensorstack.training.admission;

import dev.tensorstack.training.api.v1beta1.Elastic;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The wished size of an elastic job lies between its bounds. */
final class ElasticExpectedInRangeRule implements Rule {

  private static final String FIELD = "spec.elastic.expectedReplicas";

  /** What is wrong with a number that {@code kubectl scale} or an autoscaler wants. */
  static List<Violation> checkScale(@Nullable Elastic elastic, int replicas) {
    ElasticExpectedInRangeRule rule = new ElasticExpectedInRangeRule();
    if (elastic == null || !elastic.on()) {
      return List.of(
          new Violation(
              rule.id(),
              FIELD,
              Violation.Reason.FieldValueForbidden,
              "the job is not elastic and keeps its size: only a job with elastic.enabled can be"
                  + " scaled"));
    }
    return rule.check(elastic, replicas);
  }

  @Override
  public String id() {
    return "elastic-expected-in-range";
  }

  @Override
  public String refuses() {
    return "expectedReplicas outside minReplicas to maxReplicas; scaling a job that is not elastic";
  }

  @Override
  public List<Violation> check(Subject subject) {
    Elastic elastic = subject.spec().elastic();
    if (elastic == null || !elastic.on() || elastic.expectedReplicas() == null) {
      return List.of();
    }
    return check(elastic, elastic.expectedReplicas());
  }

  private List<Violation> check(Elastic elastic, int expected) {
    if (elastic.minReplicas() == null
        || elastic.maxReplicas() == null
        || elastic.minReplicas() > elastic.maxReplicas()) {
      return List.of();
    }
    if (expected >= elastic.minReplicas() && expected <= elastic.maxReplicas()) {
      return List.of();
    }
    return List.of(
        new Violation(
            id(),
            FIELD,
            Violation.Reason.FieldValueInvalid,
            expected
                + " is outside minReplicas to maxReplicas: write a number from "
                + elastic.minReplicas()
                + " to "
                + elastic.maxReplicas()));
  }
}
