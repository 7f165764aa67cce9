package dev.tensorstack.training.kind.trainingjob.admission;

import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.kind.Rule;
import dev.tensorstack.training.kind.RuleContext;
import dev.tensorstack.training.kind.trainingjob.v1beta1.Elastic;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import dev.tensorstack.training.kind.trainingjob.v1beta1.ReplicaSpec;
import java.util.List;
import java.util.Objects;

/**
 * Types that do not scale leave room for the smallest size of an elastic job.
 *
 * <p>Refuses: an elastic job in which nothing can scale, or whose fixed types and master do not fit
 * into minReplicas.
 */
final class ElasticFixedFitsRule implements Rule<PyTorchTrainingJobSpec> {

  @Override
  public String id() {
    return "elastic-fixed-fits";
  }

  @Override
  public List<Violation> check(RuleContext<PyTorchTrainingJobSpec> subject) {
    Elastic elastic = subject.spec().elastic();
    List<ReplicaSpec> types = subject.spec().replicaSpecs();
    if (elastic == null
        || !elastic.on()
        || elastic.minReplicas() == null
        || types == null
        || types.isEmpty()
        || types.stream().noneMatch(ElasticFixedFitsRule::fixed)) {
      return List.of();
    }
    if (types.stream().allMatch(ElasticFixedFitsRule::fixed)) {
      return List.of(
          violation(
              "every type has scalingWeight 0, so nothing could grow or shrink: give at least one"
                  + " type a weight, or switch elastic off"));
    }
    long needed =
        types.stream()
                .filter(ElasticFixedFitsRule::fixed)
                .mapToLong(type -> Objects.requireNonNullElse(type.replicas(), 1))
                .sum()
            + (fixed(types.get(0)) ? 0 : 1);
    if (needed <= elastic.minReplicas()) {
      return List.of();
    }
    return List.of(
        violation(
            "types with scalingWeight 0"
                + (fixed(types.get(0)) ? "" : " and the master")
                + " need "
                + needed
                + " nodes, more than elastic.minReplicas, "
                + elastic.minReplicas()
                + ": raise minReplicas, or lower their replicas"));
  }

  private static boolean fixed(ReplicaSpec type) {
    return Objects.equals(type.scalingWeight(), 0);
  }

  private Violation violation(String message) {
    return new Violation(id(), "spec.replicaSpecs", Violation.Reason.FieldValueInvalid, message);
  }
}
