package dev.tensorstack.training.kind.trainingjob.admission;

import static dev.tensorstack.training.core.model.Violation.Reason.FieldValueInvalid;
import static dev.tensorstack.training.core.model.Violation.Reason.FieldValueRequired;

import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.kind.JobSize;
import dev.tensorstack.training.kind.Rule;
import dev.tensorstack.training.kind.RuleContext;
import dev.tensorstack.training.kind.trainingjob.v1beta1.Elastic;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An elastic job says how small and how large it may be.
 *
 * <p>Refuses: an elastic job whose minReplicas or maxReplicas is missing or below 1, or whose
 * minReplicas is the greater one, or maxReplicas more than {@value JobSize#MOST_PODS}.
 */
final class ElasticBoundsRule implements Rule<PyTorchTrainingJobSpec> {

  @Override
  public String id() {
    return "elastic-bounds";
  }

  @Override
  public List<Violation> check(RuleContext<PyTorchTrainingJobSpec> subject) {
    Elastic elastic = subject.spec().elastic();
    List<Violation> violations = new ArrayList<>();
    if (elastic == null || !elastic.on()) {
      return violations;
    }
    Integer min = elastic.minReplicas();
    Integer max = elastic.maxReplicas();
    bound(violations, "minReplicas", min, "the job runs with at least this many nodes");
    bound(violations, "maxReplicas", max, "the job never has more nodes than this");
    if (max != null && max > JobSize.MOST_PODS) {
      violations.add(
          new Violation(
              id(),
              "spec.elastic.maxReplicas",
              FieldValueInvalid,
              "must be at most " + JobSize.MOST_PODS + JobSize.WHY));
    }
    if (min != null && max != null && min >= 1 && max >= 1 && min > max) {
      violations.add(
          new Violation(
              id(),
              "spec.elastic.minReplicas",
              FieldValueInvalid,
              min + " is more than maxReplicas, " + max + ": write the smaller number here"));
    }
    return violations;
  }

  private void bound(
      List<Violation> violations, String field, @Nullable Integer value, String meaning) {
    if (value == null) {
      violations.add(
          new Violation(
              id(),
              "spec.elastic." + field,
              FieldValueRequired,
              "an elastic job needs it: " + meaning));
    } else if (value < 1) {
      violations.add(
          new Violation(
              id(), "spec.elastic." + field, FieldValueInvalid, "must be at least 1: " + meaning));
    }
  }
}
