package dev.tensorstack.training.kind.pytorchjob.admission;

import static dev.tensorstack.training.core.model.Violation.Reason.FieldValueForbidden;
import static dev.tensorstack.training.core.model.Violation.Reason.FieldValueInvalid;

import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.kind.FieldCheck;
import dev.tensorstack.training.kind.ProcessCount;
import dev.tensorstack.training.kind.Rule;
import dev.tensorstack.training.kind.RuleContext;
import dev.tensorstack.training.kind.pytorchjob.v1.ElasticPolicy;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJobSpec;
import java.util.List;

/**
 * The number of processes of each pod is given once, and is one.
 *
 * <p>Refuses: an nprocPerNode that is neither a positive number nor auto, cpu or gpu; an
 * elasticPolicy.nProcPerNode below 1, or beside nprocPerNode.
 */
final class NprocPerNodeRule implements Rule<PyTorchJobSpec> {

  private static final String OLDER = "spec.elasticPolicy.nProcPerNode";

  @Override
  public String id() {
    return "nproc-per-node";
  }

  @Override
  public List<Violation> check(RuleContext<PyTorchJobSpec> subject) {
    String value = subject.spec().nprocPerNode();
    ElasticPolicy elastic = subject.spec().elasticPolicy();
    FieldCheck check = new FieldCheck(id());
    if (value != null && !ProcessCount.isKnown(value)) {
      check.add("spec.nprocPerNode", FieldValueInvalid, ProcessCount.unknown(value));
    }
    if (elastic != null && elastic.nProcPerNode() != null) {
      if (value != null) {
        check.add(
            OLDER, FieldValueForbidden, "must not be used with spec.nprocPerNode: take it out");
      } else if (elastic.nProcPerNode() < 1) {
        check.add(OLDER, FieldValueInvalid, "must be at least 1; better use spec.nprocPerNode");
      }
    }
    return check.violations();
  }
}
