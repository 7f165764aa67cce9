package dev.tensorstack.training.kind.pytorchjob.admission;

import dev.tensorstack.training.kind.Warning;
import dev.tensorstack.training.kind.WarningContext;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJobSpec;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** All warnings, in the order in which they are given. Warnings never refuse a job. */
public final class Warnings {

  private final List<Warning<PyTorchJobSpec>> all;

  /**
   * The warnings.
   *
   * @param gangScheduler the {@code schedulerName} of the gang scheduler that the operator is set
   *     to use; null for none
   */
  public Warnings(@Nullable String gangScheduler) {
    all =
        List.of(
            new DeprecatedNprocPerNodeWarning(),
            new TemplateRestartPolicyWarning(),
            new OtherSchedulerWarning(gangScheduler),
            new ReplacedVariableWarning(),
            new ProgressAnnotationWarning());
  }

  /**
   * Every warning there is, for the reference page.
   *
   * @return the warnings in the order in which they are given
   */
  public List<Warning<PyTorchJobSpec>> all() {
    return all;
  }

  /**
   * What to tell the user of a job.
   *
   * @param given the job
   * @return texts, each with a field and what to do, of any number and length; empty when there is
   *     nothing to say
   */
  public List<String> texts(WarningContext<PyTorchJobSpec> given) {
    return Warning.checkAll(all, given);
  }
}
