package dev.tensorstack.training.kind.pytorchjob.admission;

import static dev.tensorstack.training.core.model.Violation.Reason.FieldValueInvalid;

import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.kind.FieldCheck;
import dev.tensorstack.training.kind.JobSize;
import dev.tensorstack.training.kind.Rule;
import dev.tensorstack.training.kind.RuleContext;
import dev.tensorstack.training.kind.pytorchjob.v1.ElasticPolicy;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJobSpec;
import dev.tensorstack.training.kind.pytorchjob.v1.ReplicaSpec;
import dev.tensorstack.training.kind.pytorchjob.v1.ReplicaType;
import java.util.List;

/**
 * An elastic job has a smallest and a largest size, and a size between them.
 *
 * <p>Refuses: an elasticPolicy whose minReplicas is below 1 or above maxReplicas, or whose
 * maxReplicas is more than {@value JobSize#MOST_PODS}; a number of Workers outside them, through
 * scale too.
 */
final class ElasticBoundsRule implements Rule<PyTorchJobSpec> {

  private static final String MIN = "spec.elasticPolicy.minReplicas";
  private static final String MAX = "spec.elasticPolicy.maxReplicas";

  @Override
  public String id() {
    return "elastic-bounds";
  }

  @Override
  public List<Violation> check(RuleContext<PyTorchJobSpec> subject) {
    ElasticPolicy elastic = subject.spec().elasticPolicy();
    FieldCheck check = new FieldCheck(id());
    ReplicaSpec workers = subject.spec().replicas(ReplicaType.Worker);
    Integer replicas = workers == null ? null : workers.replicas();
    if (elastic == null || elastic.minReplicas() == null || elastic.maxReplicas() == null) {
      return check.violations();
    }
    int min = elastic.minReplicas();
    int max = elastic.maxReplicas();
    if (replicas != null && min == max && min == replicas) {
      // As when no bound is given; of a number that no job can have another rule tells.
      return check.violations();
    }
    if (min < 1) {
      check.add(MIN, FieldValueInvalid, "must be at least 1: torchrun needs a node to go on with");
    }
    if (max > JobSize.MOST_PODS) {
      check.add(MAX, FieldValueInvalid, "must be at most " + JobSize.MOST_PODS + JobSize.WHY);
    }
    if (min > max) {
      check.add(
          MIN,
          FieldValueInvalid,
          min + " is more than maxReplicas, " + max + ": write the smaller number here");
    } else if (replicas != null && replicas >= 1 && (replicas < min || replicas > max)) {
      check.add(
          ReplicaFields.of(ReplicaType.Worker) + ".replicas",
          FieldValueInvalid,
          replicas
              + " is outside minReplicas to maxReplicas: write "
              + (min == max ? String.valueOf(min) : "a number from " + min + " to " + max));
    }
    return check.violations();
  }
}
