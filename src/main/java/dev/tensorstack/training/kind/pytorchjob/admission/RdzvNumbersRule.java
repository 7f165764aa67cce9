package dev.tensorstack.training.kind.pytorchjob.admission;

import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.kind.FieldCheck;
import dev.tensorstack.training.kind.Rule;
import dev.tensorstack.training.kind.RuleContext;
import dev.tensorstack.training.kind.pytorchjob.v1.ElasticPolicy;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJobSpec;
import java.util.List;

/**
 * The numbers with which torchrun is started are possible ones.
 *
 * <p>Refuses: an rdzvPort that is no port, a negative maxRestarts.
 */
final class RdzvNumbersRule implements Rule<PyTorchJobSpec> {

  private static final int LAST_PORT = 65_535;

  @Override
  public String id() {
    return "rdzv-numbers";
  }

  @Override
  public List<Violation> check(RuleContext<PyTorchJobSpec> subject) {
    FieldCheck check = new FieldCheck(id());
    ElasticPolicy elastic = subject.spec().elasticPolicy();
    if (elastic != null) {
      Integer port = elastic.rdzvPort();
      if (port != null && (port < 1 || port > LAST_PORT)) {
        check.add(
            "spec.elasticPolicy.rdzvPort",
            Violation.Reason.FieldValueInvalid,
            port
                + " is no port: write 1 to 65535, or leave it out for that of the workers' container");
      }
      check.notNegative("spec.elasticPolicy.maxRestarts", elastic.maxRestarts());
    }
    return check.violations();
  }
}
