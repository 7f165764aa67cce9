package dev.tensorstack.training.kind.trainingjob.admission;

import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.kind.Rule;
import dev.tensorstack.training.kind.RuleContext;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import java.util.List;

/**
 * Of torchrun's rendezvous backends only c10d lets nodes come and go without a service beside.
 *
 * <p>Refuses: an elastic job with another rendezvous backend than c10d.
 */
final class ElasticC10dOnlyRule implements Rule<PyTorchTrainingJobSpec> {

  @Override
  public String id() {
    return "elastic-c10d-only";
  }

  @Override
  public List<Violation> check(RuleContext<PyTorchTrainingJobSpec> subject) {
    PyTorchTrainingJobSpec spec = subject.spec();
    if (spec.elastic() == null || !spec.elastic().on() || spec.torchrunConfig() == null) {
      return List.of();
    }
    String backend = spec.torchrunConfig().rdzvBackend();
    if (backend == null || backend.equals("c10d")) {
      return List.of();
    }
    return List.of(
        new Violation(
            id(),
            "spec.torchrunConfig.rdzvBackend",
            Violation.Reason.FieldValueNotSupported,
            "an elastic job needs c10d, not " + backend));
  }
}
