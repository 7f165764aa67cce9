package dev.tensorstack.training.kind.trainingjob.admission;

import dev.tensorstack.training.core.policy.AcceleratorResources;
import dev.tensorstack.training.kind.Warning;
import dev.tensorstack.training.kind.WarningContext;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import java.util.List;

/** All warnings, in the order in which they are given. Warnings never refuse a job. */
public final class Warnings {

  private final List<Warning<PyTorchTrainingJobSpec>> all;

  /**
   * The warnings.
   *
   * @param accelerators what counts as an accelerator
   */
  public Warnings(AcceleratorResources accelerators) {
    all =
        List.of(
            new OldSpellingWarning(),
            new MinNodesWarning(),
            new TemplateRestartPolicyWarning(),
            new ReplacedCommandWarning(),
            new HiddenVariableWarning(),
            new IdleAcceleratorsWarning(accelerators),
            new SeveralMastersWarning(),
            new CountWithoutElasticWarning(),
            new NoRequestsWarning(),
            new NoTorchrunRestartsWarning(),
            new SeveralSchedulersWarning());
  }

  /**
   * Every warning there is, for the reference page.
   *
   * @return the warnings in the order in which they are given
   */
  public List<Warning<PyTorchTrainingJobSpec>> all() {
    return all;
  }

  /**
   * What to tell the user of a job.
   *
   * @param given the job
   * @return texts, each with a field and what to do, of any number and length; empty when there is
   *     nothing to say
   */
  public List<String> texts(WarningContext<PyTorchTrainingJobSpec> given) {
    return Warning.checkAll(all, given);
  }
}
