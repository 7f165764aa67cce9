package dev.tensorstack.training.kind.pytorchjob.admission;

import static dev.tensorstack.training.core.model.Violation.Reason.FieldValueInvalid;
import static dev.tensorstack.training.core.model.Violation.Reason.FieldValueNotSupported;
import static dev.tensorstack.training.core.model.Violation.Reason.FieldValueRequired;

import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.kind.EnumNames;
import dev.tensorstack.training.kind.FieldCheck;
import dev.tensorstack.training.kind.JobSize;
import dev.tensorstack.training.kind.Rule;
import dev.tensorstack.training.kind.RuleContext;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJobSpec;
import dev.tensorstack.training.kind.pytorchjob.v1.ReplicaSpec;
import dev.tensorstack.training.kind.pytorchjob.v1.ReplicaType;
import dev.tensorstack.training.kind.pytorchjob.v1.RestartPolicy;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * There is a Master or a Worker, and as many of them as there may be.
 *
 * <p>Refuses: no replica spec; a type that is not spelled Master or Worker; a number of Masters
 * other than 1; less than 1 Worker, through scale too, or more than {@value JobSize#MOST_PODS}; an
 * unknown restartPolicy.
 */
final class ReplicaSpecsRule implements Rule<PyTorchJobSpec> {

  @Override
  public String id() {
    return "replica-specs";
  }

  @Override
  public List<Violation> check(RuleContext<PyTorchJobSpec> subject) {
    PyTorchJobSpec spec = subject.spec();
    FieldCheck check = new FieldCheck(id());
    if (spec.pytorchReplicaSpecs() == null || spec.pytorchReplicaSpecs().isEmpty()) {
      check.add(
          ReplicaFields.ALL,
          FieldValueRequired,
          "give at least one replica spec: Master or Worker");
      return check.violations();
    }
    for (String type : spec.pytorchReplicaSpecs().keySet()) {
      if (!EnumNames.in(ReplicaType.values(), type)) {
        check.add(
            ReplicaFields.of(type),
            FieldValueNotSupported,
            "\"" + type + "\" is no type of replicas: write Master or Worker, spelled like this");
      }
    }
    ReplicaFields.known(spec).forEach((type, replicas) -> check(check, type, replicas));
    return check.violations();
  }

  private static void check(FieldCheck check, ReplicaType type, ReplicaSpec given) {
    String path = ReplicaFields.of(type);
    String wrong = wrongNumber(type, given.replicas());
    if (wrong != null) {
      check.add(path + ".replicas", FieldValueInvalid, wrong);
    }
    check.word(path + ".restartPolicy", given.restartPolicy(), RestartPolicy.values());
  }

  private static @Nullable String wrongNumber(ReplicaType type, @Nullable Integer replicas) {
    if (replicas == null) {
      return null;
    }
    if (type == ReplicaType.Master) {
      return replicas == 1 ? null : "must be 1: all other replicas are Workers";
    }
    if (replicas < 1) {
      return "must be at least 1: suspend the job to have no pods for a while, or leave Worker out";
    }
    return replicas > JobSize.MOST_PODS
        ? "must be at most " + JobSize.MOST_PODS + JobSize.WHY
        : null;
  }
}
