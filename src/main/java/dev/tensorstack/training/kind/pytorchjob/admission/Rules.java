package dev.tensorstack.training.kind.pytorchjob.admission;

import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.kind.QuantitiesRule;
import dev.tensorstack.training.kind.Rule;
import dev.tensorstack.training.kind.RuleContext;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJobSpec;
import java.util.List;

/** All rules, in the order in which their violations are reported. */
public final class Rules {

  /** Every rule that is checked without asking the API server. */
  public static final List<Rule<PyTorchJobSpec>> ALL =
      List.of(
          new ReplicaSpecsRule(),
          new JobNameRule(),
          new TemplateContainersRule(),
          new NprocPerNodeRule(),
          new ElasticNeedsWorkerRule(),
          new ElasticBoundsRule(),
          new RdzvBackendRule(),
          new RdzvNumbersRule(),
          new RunPolicyRule(),
          new MinAvailableRule(),
          new QuantitiesRule<>(),
          new ReadableRule(),
          new ImmutableRule(),
          new ImmutableWhileRunningRule());

  private Rules() {}

  /**
   * Checks all rules.
   *
   * @param subject the job to look at
   * @return every violation of every rule; empty when the job can work
   */
  public static List<Violation> check(RuleContext<PyTorchJobSpec> subject) {
    return Rule.checkAll(ALL, subject);
  }
}
