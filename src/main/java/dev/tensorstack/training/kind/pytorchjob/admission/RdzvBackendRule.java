package dev.tensorstack.training.kind.pytorchjob.admission;

import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.kind.Rule;
import dev.tensorstack.training.kind.RuleContext;
import dev.tensorstack.training.kind.pytorchjob.v1.ElasticPolicy;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJobSpec;
import dev.tensorstack.training.kind.pytorchjob.v1.RdzvBackend;
import java.util.List;

/**
 * The agents of an elastic job meet where torchrun can let them.
 *
 * <p>Refuses: an rdzvBackend that is none of c10d, etcd and etcd-v2.
 */
final class RdzvBackendRule implements Rule<PyTorchJobSpec> {

  @Override
  public String id() {
    return "rdzv-backend";
  }

  @Override
  public List<Violation> check(RuleContext<PyTorchJobSpec> subject) {
    ElasticPolicy elastic = subject.spec().elasticPolicy();
    return elastic == null
            || elastic.rdzvBackend() == null
            || RdzvBackend.words().contains(elastic.rdzvBackend())
        ? List.of()
        : List.of(
            new Violation(
                id(),
                "spec.elasticPolicy.rdzvBackend",
                Violation.Reason.FieldValueNotSupported,
                "\"" + elastic.rdzvBackend() + "\" is unknown: use one of " + RdzvBackend.words()));
  }
}
