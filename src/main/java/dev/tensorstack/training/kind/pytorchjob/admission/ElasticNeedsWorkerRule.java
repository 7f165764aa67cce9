package dev.tensorstack.training.kind.pytorchjob.admission;

import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.kind.Rule;
import dev.tensorstack.training.kind.RuleContext;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJobSpec;
import dev.tensorstack.training.kind.pytorchjob.v1.ReplicaType;
import java.util.List;

/**
 * It is the number of workers that changes.
 *
 * <p>Refuses: an elasticPolicy without a Worker.
 */
final class ElasticNeedsWorkerRule implements Rule<PyTorchJobSpec> {

  @Override
  public String id() {
    return "elastic-needs-worker";
  }

  @Override
  public List<Violation> check(RuleContext<PyTorchJobSpec> subject) {
    PyTorchJobSpec spec = subject.spec();
    return spec.elasticPolicy() == null || ReplicaFields.known(spec).containsKey(ReplicaType.Worker)
        ? List.of()
        : List.of(
            new Violation(
                id(),
                ReplicaFields.of(ReplicaType.Worker),
                Violation.Reason.FieldValueRequired,
                "an elastic job needs it: give the Worker, or take elasticPolicy out"));
  }
}
