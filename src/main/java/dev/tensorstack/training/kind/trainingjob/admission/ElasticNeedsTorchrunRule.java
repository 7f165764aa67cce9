package dev.tensorstack.training.kind.trainingjob.admission;

import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.kind.Rule;
import dev.tensorstack.training.kind.RuleContext;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import java.util.List;

/**
 * Only torchrun can form the ring anew when nodes come and go.
 *
 * <p>Refuses: an elastic job without torchrun.
 */
final class ElasticNeedsTorchrunRule implements Rule<PyTorchTrainingJobSpec> {

  @Override
  public String id() {
    return "elastic-needs-torchrun";
  }

  @Override
  public List<Violation> check(RuleContext<PyTorchTrainingJobSpec> subject) {
    PyTorchTrainingJobSpec spec = subject.spec();
    if (!spec.elasticOn() || spec.torchrunOn()) {
      return List.of();
    }
    return List.of(
        new Violation(
            id(),
            "spec.torchrunConfig.enabled",
            Violation.Reason.FieldValueInvalid,
            "an elastic job needs torchrun: set torchrunConfig.enabled to true, or"
                + " elastic.enabled to false"));
  }
}
