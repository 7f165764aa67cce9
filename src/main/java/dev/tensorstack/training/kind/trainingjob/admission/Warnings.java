package dev.tensorstack.training.kind.trainingjob.admission;

import dev.tensorstack.training.core.policy.AcceleratorResources;
import java.util.ArrayList;
import java.util.List;

/** All warnings, in the order in which they are given. Warnings never refuse a job. */
public final class Warnings {

  private final List<Warning> all;

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
            new QueuedElasticWarning(),
            new SeveralSchedulersWarning());
  }

  /**
   * Every warning there is, for the reference page.
   *
   * @return the warnings in the order in which they are given
   */
  public List<Warning> all() {
    return all;
  }

  /**
   * What to tell the user of a job.
   *
   * @param given the job
   * @return texts, each with a field and what to do, of any number and length; empty when there is
   *     nothing to say
   */
  public List<String> texts(WarningContext given) {
    List<String> texts = new ArrayList<>();
    for (Warning warning : all) {
      texts.addAll(warning.check(given));
    }
    return texts;
  }
}
