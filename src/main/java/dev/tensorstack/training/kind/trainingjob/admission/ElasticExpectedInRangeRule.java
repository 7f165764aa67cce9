package dev.tensorstack.training.kind.trainingjob.admission;

import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.kind.Rule;
import dev.tensorstack.training.kind.RuleContext;
import dev.tensorstack.training.kind.trainingjob.v1beta1.Elastic;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The wished size of an elastic job lies between its bounds; no other job can be scaled.
 *
 * <p>Refuses: expectedReplicas outside minReplicas to maxReplicas, through scale too; scaling a job
 * that is not elastic.
 */
final class ElasticExpectedInRangeRule implements Rule<PyTorchTrainingJobSpec> {

  @Override
  public String id() {
    return "elastic-expected-in-range";
  }

  @Override
  public List<Violation> check(RuleContext<PyTorchTrainingJobSpec> subject) {
    Elastic elastic = subject.spec().elastic();
    if (elastic == null || !elastic.on()) {
      return scaled(subject) ? List.of(notElastic()) : List.of();
    }
    if (elastic.minReplicas() == null
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

  /**
   * Somebody gave a job another number of nodes, as {@code kubectl scale} does. The number of pods
   * that it has may always be written: it is what is read there.
   */
  private static boolean scaled(RuleContext<PyTorchTrainingJobSpec> subject) {
    Integer wanted = expected(subject.spec());
    return subject.old() != null
        && wanted != null
        && !Objects.equals(wanted, expected(subject.old()))
        && !Objects.equals(wanted, ReplicaCount.of(subject.spec().replicaSpecs()));
  }

  private static @Nullable Integer expected(PyTorchTrainingJobSpec spec) {
    return spec.elastic() == null ? null : spec.elastic().expectedReplicas();
  }

  private Violation notElastic() {
    return new Violation(
        id(),
        "spec.elastic.expectedReplicas",
        Violation.Reason.FieldValueForbidden,
        "this job is not elastic, its size cannot be changed: create another job, with"
            + " elastic.enabled to scale it later");
  }
}
